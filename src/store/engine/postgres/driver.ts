import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from 'kysely';
import type { PoolClient } from 'pg';
import { databaseUnavailable } from '../unavailable.js';
import type { PostgresConnections } from './connections.js';
import {
  ConnectionLost,
  isConflict,
  isLost,
  isOutdated,
  isRefusal,
  isServerError,
  reasonOf,
} from './errors.js';
import { answerOf } from './rows.js';
import { StatementNames } from './statements.js';

/** Single statements, each on whichever connection is free; run again where its connection was lost. */
export class PostgresSingleDriver implements Driver {
  readonly #connection: DatabaseConnection;

  constructor(connections: PostgresConnections) {
    this.#connection = new SingleConnection(connections);
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    return this.#connection;
  }

  async beginTransaction(): Promise<void> {
    throw new Error('transactions go through Database.transact');
  }

  async commitTransaction(): Promise<void> {}
  async rollbackTransaction(): Promise<void> {}
  async releaseConnection(): Promise<void> {}
  async destroy(): Promise<void> {}
}

/** Write transactions that begin as `begin` says. */
export class PostgresWriteDriver implements Driver {
  readonly #connections: PostgresConnections;
  readonly #names: StatementNames;
  readonly #begin: string;

  constructor(connections: PostgresConnections, names: StatementNames, begin: string) {
    this.#connections = connections;
    this.#names = names;
    this.#begin = begin;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<WriteConnection> {
    return new WriteConnection(await this.#connections.acquire(), this.#names);
  }

  beginTransaction(connection: WriteConnection): Promise<void> {
    return connection.command(this.#begin);
  }

  /** Where the answer is lost, nobody knows whether it is committed: that is never to be run again. */
  async commitTransaction(connection: WriteConnection): Promise<void> {
    try {
      await connection.command('commit');
    } catch (error) {
      throw isLost(error) ? databaseUnavailable(error) : error;
    }
  }

  /** A connection that can't do it ends, and the transaction with it. */
  async rollbackTransaction(connection: WriteConnection): Promise<void> {
    if (!connection.isBroken) await connection.command('rollback').catch(() => {});
  }

  async releaseConnection({ client, isBroken }: WriteConnection): Promise<void> {
    this.#connections.release(client, isBroken);
  }

  async destroy(): Promise<void> {}
}

/** A connection that had gone stale says so at once; what is lost later would take as long again. */
const RETRY_WITHIN_MS = 1_000;

class SingleConnection implements DatabaseConnection {
  readonly #connections: PostgresConnections;
  readonly #names = new StatementNames();

  constructor(connections: PostgresConnections) {
    this.#connections = connections;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const started = performance.now();
    for (let attempt = 1; ; attempt++) {
      const client = await this.#connections.acquire();
      let isBroken = false;
      try {
        return await run<R>(client, this.#names, statementOf(client, this.#names, query));
      } catch (error) {
        isBroken = isLost(error);
        const isPrompt = performance.now() - started < RETRY_WITHIN_MS;
        // All of them may have gone stale at once; the one after that is new.
        const isLast = attempt > this.#connections.max;
        // A deadlock takes a second to be seen, as with an update that changes tables; it has undone the query alone.
        const mayRepeat = isConflict(error) || (isPrompt && (isBroken || isOutdated(error)));
        if (mayRepeat && !isLast) continue;
        throw isBroken || isRefusal(error) ? databaseUnavailable(error) : error;
      } finally {
        this.#connections.release(client, isBroken);
      }
    }
  }

  streamQuery = refuseStream;
}

/** A connection within a write transaction. What is asked without waiting for answers is sent at once, and in order. */
export class WriteConnection implements DatabaseConnection {
  readonly client: PoolClient;
  readonly #names: StatementNames;
  isBroken = false;

  constructor(client: PoolClient, names: StatementNames) {
    this.client = client;
    this.#names = names;
  }

  executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    return this.run<R>(this.statement(query));
  }

  /** What will be sent of a query. Throws a TypeError where it holds a value that can't be. */
  statement(query: CompiledQuery): Statement {
    return statementOf(this.client, this.#names, query);
  }

  run<R>(statement: Statement): Promise<QueryResult<R>> {
    return this.#watch(run<R>(this.client, this.#names, statement));
  }

  /** Statements of the transaction itself, sent at once. */
  async command(text: string): Promise<void> {
    await this.#watch(withLossDetected(this.client.query(text)));
  }

  streamQuery = refuseStream;

  async #watch<T>(asked: Promise<T>): Promise<T> {
    try {
      return await asked;
    } catch (error) {
      this.isBroken ||= isLost(error);
      throw error;
    }
  }
}

/** A query as the connection takes it. */
interface Statement {
  readonly name?: string;
  readonly text: string;
  readonly values: unknown[];
}

function statementOf(
  client: PoolClient,
  names: StatementNames,
  { sql, parameters }: CompiledQuery,
): Statement {
  const name = names.nameOf(client, sql);
  return { ...(name !== undefined && { name }), text: sql, values: parameters.map(storable) };
}

/** Runs one statement; notes where the prepared ones are outdated. */
async function run<R>(
  client: PoolClient,
  names: StatementNames,
  statement: Statement,
): Promise<QueryResult<R>> {
  try {
    return answerOf<R>(await withLossDetected(client.query(statement)));
  } catch (error) {
    if (isOutdated(error)) names.forget();
    throw error;
  }
}

/** Whatever fails without a word of the server is the connection. */
async function withLossDetected<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    throw isServerError(error) ? error : new ConnectionLost(reasonOf(error));
  }
}

/** The one character that PostgreSQL's texts can't hold becomes what UTF-8 makes of all that it can't hold. */
function storable(value: unknown): unknown {
  if (typeof value === 'string') return value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value;
  if (typeof value !== 'object' || value === null || Buffer.isBuffer(value)) return value;
  throw new TypeError('a column holds no objects');
}

/** Nothing here reads more than a page. */
function refuseStream<R>(): AsyncIterableIterator<QueryResult<R>> {
  throw new Error('read in pages instead of streaming');
}
