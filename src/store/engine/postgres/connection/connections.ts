import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import { databaseUnavailable } from '../../unavailable.js';
import { ConnectionLost, isLost, isReadOnly, isTerminated, spoilsConnection } from './errors.js';
import type { PostgresServer, SessionUse } from './server.js';
import { SessionPool } from './session-pool.js';

/** How long a caller waits for a connection, whether a new one is being opened or all are busy. */
const WAIT_MS = 3_000;

/** After a failure to connect, callers fail at once for this long, instead of each waiting for its own timeout. */
const FAIL_FAST_MS = 1_000;

/** Statements are look-ups and sums over an index; one that takes longer blocks the others. */
const STATEMENT_TIMEOUT_MS = 10_000;

/** How long a statement waits for a lock; as long as a writer on SQLite does. */
const LOCK_TIMEOUT_MS = 5_000;

/** Our transactions wait only for the database: one that is idle has lost its process, and still holds locks. */
const IDLE_IN_TRANSACTION_MS = 10_000;

/**
 * An answer that is this much later than the statement timeout is lost: the server would have cancelled the statement.
 */
const ANSWER_GRACE_MS = 2_000;

/** Unused connections are closed. */
const IDLE_TIMEOUT_MS = 60_000;

/** Connections are replaced from time to time, so that old prepared statements go. */
const LIFETIME_MS = 1_800_000;

/**
 * A connection that is younger than this is kept after errors such as a full disk: another one would hear the same,
 * and a server in need should not have to open one for each statement.
 */
const YOUNG_MS = 1_000;

/** How long to wait on close for a server that no longer answers. */
const CLOSE_TIMEOUT_MS = 2_000;

/** For connections whose work may take any time. */
export const NO_TIMEOUTS: Settings = {
  statement_timeout: '0',
  lock_timeout: '0',
  idle_in_transaction_session_timeout: '0',
};

/** Session settings of the server, by name. */
type Settings = Readonly<Record<string, string>>;

export interface ConnectionsOptions {
  readonly max: number;
  readonly settings: Settings;
  /** Further statements that each session begins with. */
  readonly first?: readonly string[];
  /**
   * Whether sessions belong to a client for a transaction only (poolers): then nothing is kept in them, and settings are
   * those of each transaction.
   */
  readonly byTransaction?: boolean;
}

/** A pool of connections with the same session settings. */
export class PostgresConnections {
  readonly max: number;
  /** See `ConnectionsOptions`. */
  readonly byTransaction: boolean;
  readonly #server: PostgresServer;
  readonly #settings: Settings;
  readonly #pool: SessionPool;
  #failure: { readonly until: number; readonly cause: unknown } | undefined;
  #ended: Promise<void> | undefined;

  constructor(
    server: PostgresServer,
    { max, settings, first = [], byTransaction = false }: ConnectionsOptions,
  ) {
    this.max = max;
    this.byTransaction = byTransaction;
    this.#server = server;
    this.#settings = { ...SESSION, ...settings };
    const set = Object.entries(this.#settings).map(([name, value]) => `set ${name} = '${value}'`);
    const use: SessionUse = {
      first: byTransaction ? first : [...set, ...first],
      writes: this.#settings.default_transaction_read_only !== 'on',
      answerTimeoutMs: answerTimeout(Number(this.#settings.statement_timeout)),
    };
    this.#pool = new SessionPool({
      open: () =>
        server.open(use).catch((error) => {
          // The server terminated this one connection while it opened, so it is up.
          if (isTerminated(error)) return server.open(use);
          throw error;
        }),
      max,
      waitMs: WAIT_MS,
      idleMs: IDLE_TIMEOUT_MS,
      lifetimeMs: LIFETIME_MS,
    });
    server.onDemoted((before) => this.#pool.dropBefore(before));
  }

  /** Throws `database_unavailable`, with the words for an operator as its cause. */
  async acquire(): Promise<Client> {
    if (this.#failure !== undefined && !this.#pool.hasIdle && performance.now() < this.#failure.until) {
      throw databaseUnavailable(this.#failure.cause);
    }
    try {
      const client = await this.#pool.acquire();
      this.#failure = undefined;
      return client;
    } catch (error) {
      // Without the error itself, which may reference the connection and its password.
      const cause = new ConnectionLost(
        error instanceof ConnectionLost ? error.message : this.#server.wordsOf(error),
      );
      this.#failure = { until: performance.now() + FAIL_FAST_MS, cause };
      throw databaseUnavailable(cause);
    }
  }

  /** Returns a connection to the pool, or closes it after an error that only another one cures, or within a transaction. */
  release(client: Client, fault: unknown): void {
    const openedAt = this.#pool.openedAt(client);
    if (isReadOnly(fault)) this.#server.demoted(client, openedAt);
    this.#pool.release(client, this.#isSpoilt(fault, openedAt) || client.getTransactionStatus() !== 'I');
  }

  #isSpoilt(fault: unknown, openedAt: number): boolean {
    if (fault === undefined) return false;
    if (isLost(fault)) return true;
    return spoilsConnection(fault) && performance.now() - openedAt > YOUNG_MS;
  }

  /** What begins a transaction: `begin ...; ...`, with the settings where the session can't have them. */
  beginning(begin: string): string {
    if (!this.byTransaction) return begin;
    const [first = '', ...rest] = begin.split('; ');
    const set = Object.entries(this.#settings).map(
      ([name, value]) => `set local ${LOCAL_NAMES[name] ?? name} = '${value}'`,
    );
    return [first, ...set, ...rest].join('; ');
  }

  /** The Problem `database_unavailable` for a failed statement, with the words for an operator as its cause. */
  unavailable(error: unknown): Error {
    return databaseUnavailable(new ConnectionLost(this.#server.wordsOf(error)));
  }

  /** Further calls wait for the first one. */
  async close(): Promise<void> {
    this.#ended ??= this.#pool.close();
    await Promise.race([this.#ended, sleep(CLOSE_TIMEOUT_MS, undefined, { ref: false })]);
  }
}

/** Runs `work` on a new connection without timeouts, until the signal ends it. Throws an Error with words for an operator. */
export async function onOwnConnection<T>(
  server: PostgresServer,
  work: (client: Client) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const { client } = await server.open({ first: [], writes: false, answerTimeoutMs: 0 });
  const end = () => void client.end().catch(() => {});
  signal?.addEventListener('abort', end);
  try {
    return await work(client);
  } finally {
    signal?.removeEventListener('abort', end);
    await client.end();
  }
}

/** In milliseconds; 0 = no timeout. */
function answerTimeout(statementTimeoutMs: number): number {
  return statementTimeoutMs === 0 ? 0 : statementTimeoutMs + ANSWER_GRACE_MS;
}

const SESSION: Settings = {
  statement_timeout: String(STATEMENT_TIMEOUT_MS),
  lock_timeout: String(LOCK_TIMEOUT_MS),
  idle_in_transaction_session_timeout: String(IDLE_IN_TRANSACTION_MS),
};

/** The defaults of a session are for later transactions only. */
const LOCAL_NAMES: Readonly<Record<string, string>> = {
  default_transaction_read_only: 'transaction_read_only',
};
