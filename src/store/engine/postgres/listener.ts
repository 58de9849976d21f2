import { setTimeout as sleep } from 'node:timers/promises';
import { Client, type ClientBase } from 'pg';
import { connectionConfig } from './connections.js';

/** Processes signal bumps on this channel. The name must not change: two versions run together during an upgrade. */
export const BUMP_CHANNEL = 'byway_moved';

/** Pauses before reconnecting: short after a restart of the server, longer while it is away. */
const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 1_000;

export interface Listener {
  /** Called for each new connection, which is closed when this throws. */
  acquire(client: ClientBase): Promise<void>;
  disconnected(): void;
}

/** Listens for signals on a connection of its own, and reconnects whenever it is lost. */
export class PostgresListener {
  readonly #url: string;
  readonly #listener: Listener;
  readonly #stopped = new AbortController();
  #listening: Promise<void> = Promise.resolve();

  constructor(url: string, listener: Listener) {
    this.#url = url;
    this.#listener = listener;
  }

  /**
   * Calls `onSignal` after each signal and, with an empty one, each new connection, since signals may have been missed
   * before it. Call once.
   */
  start(onSignal: (signal: string) => void): void {
    this.#listening = this.#listen(onSignal);
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#listening;
  }

  async #listen(onSignal: (signal: string) => void): Promise<void> {
    let pauseMs = FIRST_PAUSE_MS;
    const onConnect = () => {
      pauseMs = FIRST_PAUSE_MS;
      onSignal('');
    };
    while (!this.#stopped.signal.aborted) {
      await this.#listenOnce(onSignal, onConnect);
      await this.#pause(pauseMs * (0.5 + Math.random() / 2));
      pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS);
    }
  }

  /** Resolves when the connection has ended, for whatever reason. */
  async #listenOnce(onSignal: (signal: string) => void, onConnect: () => void): Promise<void> {
    const client = new Client(connectionConfig(this.#url));
    const end = () => void client.end().catch(() => {});
    client.on('error', () => {});
    client.on('notification', ({ payload = '' }) => onSignal(payload));
    const ended = new Promise<'ended'>((resolve) => client.once('end', () => resolve('ended')));
    this.#stopped.signal.addEventListener('abort', end);
    try {
      // When we close the connection ourselves, pending queries are never answered.
      const listening = client.connect().then(async () => {
        await this.#listener.acquire(client);
        await client.query(`listen ${BUMP_CHANNEL}`);
      });
      listening.catch(() => {});
      if ((await Promise.race([listening, ended])) === 'ended') return;
      onConnect();
      await ended;
    } catch {
      end();
    } finally {
      this.#listener.disconnected();
      this.#stopped.signal.removeEventListener('abort', end);
    }
  }

  async #pause(timeMs: number): Promise<void> {
    await sleep(timeMs, undefined, { ref: false, signal: this.#stopped.signal }).catch(() => {});
  }
}
