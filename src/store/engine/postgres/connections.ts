import { setTimeout as sleep } from 'node:timers/promises';
import { Client, type ClientConfig, Pool, type PoolClient } from 'pg';
import { databaseUnavailable } from '../unavailable.js';
import { ConnectionLost, isTerminated, reasonOf } from './errors.js';
import { STORED_TYPES } from './rows.js';

/**
 * How long a caller waits for a connection, whether it has to be made or all are busy: a request that can't have one
 * by then is better told so.
 */
const CONNECT_TIMEOUT_MS = 3_000;

/** After a failure to connect: callers fail at once for as long, instead of each waiting for its own timeout. */
const FAIL_FAST_MS = 1_000;

/** Statements are look-ups and sums over an index; one that takes longer stands in everybody's way. */
const STATEMENT_TIMEOUT_MS = 10_000;

/** How long a statement waits for another's lock, as a writer on SQLite does. */
const LOCK_TIMEOUT_MS = 5_000;

/** Our transactions wait for nothing but the database: one that is idle has lost its process, and holds locks. */
const IDLE_IN_TRANSACTION_MS = 10_000;

/** An answer that comes later than this after the time of its statement is lost: the server would have broken it off. */
const ANSWER_GRACE_MS = 2_000;

/** Unused connections are given back to the server. */
const IDLE_TIMEOUT_MS = 60_000;

/** Connections are made anew from time to time: after a failover they move on, and old statements go with them. */
const LIFETIME_S = 1_800;

/** How long closing waits for a server that no longer answers. */
const CLOSE_TIMEOUT_MS = 2_000;

/** How a connection to the URL is made. What the URL itself says (of TLS, the host, the name) has precedence. */
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

/** Settings of a connection whose work may take any time. */
export const NO_TIMEOUTS: Settings = {
  statement_timeout: '0',
  lock_timeout: '0',
  idle_in_transaction_session_timeout: '0',
};

/** Settings of the server, by name. */
type Settings = Readonly<Record<string, string>>;

/** A bounded number of connections with the settings of their purpose. */
export class PostgresConnections {
  /** How many there are at most. */
  readonly max: number;
  readonly #pool: Pool;
  #failure: { readonly until: number; readonly cause: unknown } | undefined;
  #ended: Promise<void> | undefined;

  /** `first` is a statement that each of them begins with. */
  constructor(url: string, bound: number, settings: Settings, ...first: readonly string[]) {
    this.max = bound;
    const session = { ...SESSION, ...settings };
    const set = Object.entries(session).map(([name, value]) => `set ${name} = '${value}'`);
    this.#pool = new Pool({
      ...connectionConfig(url),
      query_timeout: answerTimeout(Number(session.statement_timeout)),
      idleTimeoutMillis: IDLE_TIMEOUT_MS,
      maxLifetimeSeconds: LIFETIME_S,
      max: bound,
      // What is asked before the last answer is there is sent all the same.
      pipeline: true,
      // Waited for before the connection is given out.
      onConnect: (client) => client.query([...set, ...first].join('; ')),
    });
    // A connection that breaks while nobody waits for it is replaced when it is needed.
    this.#pool.on('error', () => {});
    this.#pool.on('connect', (client) => client.on('error', () => {}));
  }

  /** A connection, to be given back. Throws `database_unavailable`. */
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
        // A server that ends one connection while it is made is there.
        if (isTerminated(error)) return this.#pool.connect();
        throw error;
      });
      this.#failure = undefined;
      return client;
    } catch (error) {
      // The error itself may hold the connection with all that it knows.
      const cause = new ConnectionLost(reasonOf(error));
      this.#failure = { until: performance.now() + FAIL_FAST_MS, cause };
      throw databaseUnavailable(cause);
    }
  }

  /** Takes a connection back; one that broke, or stands in a transaction that has not ended, is not used again. */
  release(client: PoolClient, isBroken: boolean): void {
    client.release(isBroken || client.getTransactionStatus() !== 'I');
  }

  /** Whoever closes it again waits for the same end. */
  async close(): Promise<void> {
    this.#ended ??= this.#pool.end();
    await Promise.race([this.#ended, sleep(CLOSE_TIMEOUT_MS, undefined, { ref: false })]);
  }
}

/** Runs `work` on a connection of its own, for what may take any time. */
export async function onOwnConnection<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client(connectionConfig(url));
  client.on('error', () => {});
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Milliseconds to wait for an answer; 0 = any time. */
function answerTimeout(statementTimeoutMs: number): number {
  return statementTimeoutMs === 0 ? 0 : statementTimeoutMs + ANSWER_GRACE_MS;
}

const SESSION: Settings = {
  statement_timeout: String(STATEMENT_TIMEOUT_MS),
  lock_timeout: String(LOCK_TIMEOUT_MS),
  idle_in_transaction_session_timeout: String(IDLE_IN_TRANSACTION_MS),
};
