import { setTimeout as sleep } from 'node:timers/promises';
import { Client, type ClientConfig, Pool, type PoolClient } from 'pg';
import { databaseUnavailable } from '../unavailable.js';
import { ConnectionLost, isTerminated, reasonOf } from './errors.js';
import { STORED_TYPES } from './rows.js';

/** How long a caller waits for a connection, whether a new one is being opened or all are busy. */
const CONNECT_TIMEOUT_MS = 3_000;

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

/** Connections are replaced from time to time, so that they follow a failover and old prepared statements go. */
const LIFETIME_S = 1_800;

/** How long to wait on close for a server that no longer answers. */
const CLOSE_TIMEOUT_MS = 2_000;

/** Settings of a connection; what the URL says (of TLS, the host, the name) takes precedence. */
export function connectionConfig(url: string): ClientConfig {
  return {
    connectionString: url,
    application_name: 'byway',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    types: STORED_TYPES,
  };
}

/** For connections whose work may take any time. */
export const NO_TIMEOUTS: Settings = {
  statement_timeout: '0',
  lock_timeout: '0',
  idle_in_transaction_session_timeout: '0',
};

/** Session settings of the server, by name. */
type Settings = Readonly<Record<string, string>>;

/** A pool of connections with the same session settings. */
export class PostgresConnections {
  readonly max: number;
  readonly #pool: Pool;
  #failure: { readonly until: number; readonly cause: unknown } | undefined;
  #ended: Promise<void> | undefined;

  /** Each connection runs the statements `first` when it opens. */
  constructor(url: string, max: number, settings: Settings, ...first: readonly string[]) {
    this.max = max;
    const session = { ...SESSION, ...settings };
    const set = Object.entries(session).map(([name, value]) => `set ${name} = '${value}'`);
    this.#pool = new Pool({
      ...connectionConfig(url),
      query_timeout: answerTimeout(Number(session.statement_timeout)),
      idleTimeoutMillis: IDLE_TIMEOUT_MS,
      maxLifetimeSeconds: LIFETIME_S,
      max,
      // Queries are sent without waiting for the answer to the previous one.
      pipeline: true,
      // Awaited before the connection is handed out.
      onConnect: (client) => client.query([...set, ...first].join('; ')),
    });
    // An idle connection that breaks is replaced when it is needed.
    this.#pool.on('error', () => {});
    this.#pool.on('connect', (client) => client.on('error', () => {}));
  }

  /** Throws `database_unavailable`. */
  async acquire(): Promise<PoolClient> {
    if (
      this.#failure !== undefined &&
      this.#pool.idleCount === 0 &&
      performance.now() < this.#failure.until
    ) {
      throw databaseUnavailable(this.#failure.cause);
    }
    try {
      const client = await this.#pool.connect().catch((error) => {
        // The server terminated this one connection while it opened, so it is up.
        if (isTerminated(error)) return this.#pool.connect();
        throw error;
      });
      this.#failure = undefined;
      return client;
    } catch (error) {
      // Without the error itself, which may reference the connection and its password.
      const cause = new ConnectionLost(reasonOf(error));
      this.#failure = { until: performance.now() + FAIL_FAST_MS, cause };
      throw databaseUnavailable(cause);
    }
  }

  /** Returns a connection to the pool, or closes it if it broke or is still in a transaction. */
  release(client: PoolClient, isBroken: boolean): void {
    client.release(isBroken || client.getTransactionStatus() !== 'I');
  }

  /** Further calls wait for the first one. */
  async close(): Promise<void> {
    this.#ended ??= this.#pool.end();
    await Promise.race([this.#ended, sleep(CLOSE_TIMEOUT_MS, undefined, { ref: false })]);
  }
}

/** Runs `work` on a new connection without timeouts, until the signal ends it. */
export async function onOwnConnection<T>(
  url: string,
  work: (client: Client) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const client = new Client(connectionConfig(url));
  client.on('error', () => {});
  await client.connect();
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
