import { setTimeout as sleep } from 'node:timers/promises';
import type { ClientBase } from 'pg';
import type { PostgresServer } from './connection/server.js';

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

/** Listens for signals on a connection of its own, and reconnects whenever it is lost, or its server is one that no longer writes. */
export class PostgresListener {
  readonly #server: PostgresServer;
  readonly #listener: Listener;
  readonly #stopped = new AbortController();
  #listening: Promise<void> = Promise.resolve();
  #end = () => {};

  constructor(server: PostgresServer, listener: Listener) {
    this.#server = server;
    this.#listener = listener;
    server.onDemoted(() => this.#end());
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
    this.#end();
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
    const opened = await this.#server
      .open({ first: [], writes: false, answerTimeoutMs: 0 })
      .catch(() => null);
    if (opened === null) return;
    const { client } = opened;
    const end = () => void client.end().catch(() => {});
    const ended = new Promise<'ended'>((resolve) => client.once('end', () => resolve('ended')));
    this.#end = end;
    if (this.#stopped.signal.aborted) end();
    client.on('notification', ({ payload = '' }) => onSignal(payload));
    try {
      // When we close the connection ourselves, pending queries are never answered.
      const listening = this.#listener.acquire(client).then(() => client.query(`listen ${BUMP_CHANNEL}`));
      listening.catch(() => {});
      if ((await Promise.race([listening, ended])) === 'ended') return;
      onConnect();
      await ended;
    } catch {
      end();
    } finally {
      this.#end = () => {};
      this.#listener.disconnected();
    }
  }

  async #pause(timeMs: number): Promise<void> {
    await sleep(timeMs, undefined, { ref: false, signal: this.#stopped.signal }).catch(() => {});
  }
}
