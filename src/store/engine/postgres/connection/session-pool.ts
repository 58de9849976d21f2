import type { Client } from 'pg';
import { ConnectionLost } from './errors.js';
import type { OpenSession } from './server.js';

export interface PoolOptions {
  /** Rejects when no session can be opened. */
  open(): Promise<OpenSession>;
  readonly max: number;
  /** How long a caller waits for a session, whether a new one is being opened or all are busy. */
  readonly waitMs: number;
  /** Unused sessions are closed. */
  readonly idleMs: number;
  /** Sessions are replaced from time to time. */
  readonly lifetimeMs: number;
}

interface Waiter {
  resolve(client: Client): void;
  reject(error: unknown): void;
}

const SWEEP_MS = 5_000;

/** Sessions of one kind. A session that breaks while nobody uses it is dropped at once. */
export class SessionPool {
  readonly #options: PoolOptions;
  readonly #openedAt = new Map<Client, number>();
  /** The one used last is at the end; each with the time of its release. */
  readonly #idle = new Map<Client, number>();
  readonly #waiting: Waiter[] = [];
  #opening = 0;
  /** Sessions that were opened before are closed instead of being used again. */
  #validFrom = 0;
  #closed: (() => void) | undefined;
  readonly #sweeping: NodeJS.Timeout;

  constructor(options: PoolOptions) {
    this.#options = options;
    this.#sweeping = setInterval(() => this.#sweep(), SWEEP_MS).unref();
  }

  get hasIdle(): boolean {
    return this.#idle.size > 0;
  }

  openedAt(client: Client): number {
    return this.#openedAt.get(client) ?? 0;
  }

  /** Rejects with what prevented a session from being opened, or ConnectionLost when all stay busy. */
  async acquire(): Promise<Client> {
    if (this.#closed !== undefined) throw new ConnectionLost('the database is closed');
    const client = [...this.#idle.keys()].at(-1);
    if (client !== undefined) {
      this.#idle.delete(client);
      return client;
    }
    return new Promise((resolve, reject) => {
      const late = () => {
        this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
        reject(new ConnectionLost('no connection was free in time'));
      };
      const timer = setTimeout(late, this.#options.waitMs).unref();
      const waiter: Waiter = {
        resolve: (found) => {
          clearTimeout(timer);
          resolve(found);
        },
        reject: (error) => {
          clearTimeout(timer);
          reject(error);
        },
      };
      this.#waiting.push(waiter);
      this.#openMissing();
    });
  }

  release(client: Client, isBroken: boolean): void {
    const openedAt = this.#openedAt.get(client);
    if (openedAt === undefined) return;
    const isOld = openedAt < this.#validFrom || performance.now() - openedAt > this.#options.lifetimeMs;
    if (isBroken || isOld || this.#closed !== undefined) this.#drop(client);
    else this.#hand(client);
  }

  /** Sessions that were opened before this instant are not used again. */
  dropBefore(instant: number): void {
    this.#validFrom = instant;
    for (const client of [...this.#idle.keys()]) if (this.openedAt(client) < instant) this.#drop(client);
  }

  /** Waits for the sessions that are in use. Call once. */
  async close(): Promise<void> {
    clearInterval(this.#sweeping);
    for (const waiter of this.#waiting.splice(0)) waiter.reject(new ConnectionLost('the database is closed'));
    const ended = new Promise<void>((resolve) => {
      this.#closed = resolve;
    });
    for (const client of [...this.#idle.keys()]) this.#drop(client);
    this.#settleClose();
    await ended;
  }

  #openMissing(): void {
    while (this.#waiting.length > this.#opening && this.#openedAt.size + this.#opening < this.#options.max) {
      void this.#open();
    }
  }

  async #open(): Promise<void> {
    this.#opening++;
    try {
      const { client, openedAt } = await this.#options.open();
      this.#opening--;
      this.#openedAt.set(client, openedAt);
      client.once('end', () => this.#forget(client));
      client.on('error', () => this.#forget(client));
      if (this.#closed === undefined) this.#hand(client);
      else this.#drop(client);
    } catch (error) {
      this.#opening--;
      // Without any session nobody else would be served either.
      const count = this.#openedAt.size === 0 ? this.#waiting.length : 1;
      for (const waiter of this.#waiting.splice(0, count)) waiter.reject(error);
      this.#settleClose();
    }
  }

  #hand(client: Client): void {
    const waiter = this.#waiting.shift();
    if (waiter === undefined) this.#idle.set(client, performance.now());
    else waiter.resolve(client);
  }

  #drop(client: Client): void {
    this.#forget(client);
    void client.end().catch(() => {});
  }

  #forget(client: Client): void {
    this.#idle.delete(client);
    if (!this.#openedAt.delete(client)) return;
    this.#openMissing();
    this.#settleClose();
  }

  #settleClose(): void {
    if (this.#openedAt.size + this.#opening === 0) this.#closed?.();
  }

  #sweep(): void {
    const now = performance.now();
    for (const [client, since] of [...this.#idle]) {
      const { idleMs, lifetimeMs } = this.#options;
      if (now - since > idleMs || now - this.openedAt(client) > lifetimeMs) this.#drop(client);
    }
  }
}
