import { setTimeout as sleep } from 'node:timers/promises';
import { Client, type ClientBase } from 'pg';
import { connectionConfig } from './connections.js';

/** The channel on which processes wake each other. */
export const BUMP_CHANNEL = 'byway_moved';

/** Pauses before connecting again: short after a restart of the server, and no burden while it is away. */
const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 1_000;

/** Whoever wants to be where the listening connection is. */
export interface Listener {
  /** A new connection. What is thrown ends it. */
  acquire(client: ClientBase): Promise<void>;
  /** It is lost. */
  disconnected(): void;
}

/** Listens on a connection of its own, and connects again whenever it is lost. */
export class PostgresListener {
  readonly #url: string;
  readonly #listener: Listener;
  readonly #stopped = new AbortController();
  #listening: Promise<void> = Promise.resolve();

  constructor(url: string, guest: Listener) {
    this.#url = url;
    this.#listener = guest;
  }

  /** Calls `heard` after each signal, and after each connecting: signals may have been missed before it. Once at most. */
  start(heard: () => void): void {
    this.#listening = this.#listen(heard);
  }

  /** Ends the connection. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#listening;
  }

  async #listen(heard: () => void): Promise<void> {
    let pauseMs = FIRST_PAUSE_MS;
    const connected = () => {
      pauseMs = FIRST_PAUSE_MS;
      heard();
    };
    while (!this.#stopped.signal.aborted) {
      await this.#listenOnce(heard, connected);
      await this.#pause(pauseMs * (0.5 + Math.random() / 2));
      pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS);
    }
  }

  /** Ends with the connection; whatever ended it, the answer is to connect again. */
  async #listenOnce(heard: () => void, connected: () => void): Promise<void> {
    const client = new Client(connectionConfig(this.#url));
    const end = () => void client.end().catch(() => {});
    client.on('error', () => {});
    client.on('notification', heard);
    const ended = new Promise<'ended'>((resolve) => client.once('end', () => resolve('ended')));
    this.#stopped.signal.addEventListener('abort', end);
    try {
      // What is being waited for when the connection ends on our own wish never comes.
      const listening = client.connect().then(async () => {
        await this.#listener.acquire(client);
        await client.query(`listen ${BUMP_CHANNEL}`);
      });
      listening.catch(() => {});
      if ((await Promise.race([listening, ended])) === 'ended') return;
      connected();
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
