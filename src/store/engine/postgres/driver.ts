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

/** Runs write transactions; `begin` is the statement that starts one. */
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

  /** When the answer is lost, it is unknown whether the transaction is committed, so it must not be retried. */
  async commitTransaction(connection: WriteConnection): Promise<void> {
    try {
      await connection.command('commit');
    } catch (error) {
      throw isLost(error) ? databaseUnavailable(error) : error;
    }
  }

  /** If the rollback fails, the connection is closed, which ends the transaction. */
  async rollbackTransaction(connection: WriteConnection): Promise<void> {
    if (!connection.isBroken) await connection.command('rollback').catch(() => {});
  }

  async releaseConnection({ client, isBroken }: WriteConnection): Promise<void> {
    this.#connections.release(client, isBroken);
  }

  async destroy(): Promise<void> {}
}

/** A stale connection fails at once; after a later loss a retry could take as long again. */
const RETRY_WITHIN_MS = 1_000;

/** Runs single statements, each on any free connection; retries when the connection was lost. */
export class AnyConnection implements DatabaseConnection {
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
        // All connections of the pool may be stale; the one after them is new.
        const isLast = attempt > this.#connections.max;
        // A deadlock with a migration, or a statement that is outdated after one, has waited for it, and has rolled back
        // this query only.
        const mayRepeat = isConflict(error) || isOutdated(error) || (isPrompt && isBroken);
        if (mayRepeat && !isLast) continue;
        throw isBroken || isRefusal(error) ? databaseUnavailable(error) : error;
      } finally {
        this.#connections.release(client, isBroken);
      }
    }
  }

  streamQuery = refuseStream;
}

/**
 * A connection within a write transaction. Queries are pipelined: sent at once and in order, without awaiting answers.
 */
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

  /** Throws a TypeError when a parameter can't be sent. */
  statement(query: CompiledQuery): Statement {
    return statementOf(this.client, this.#names, query);
  }

  run<R>(statement: Statement): Promise<QueryResult<R>> {
    return this.#noteLoss(run<R>(this.client, this.#names, statement));
  }

  /** Runs a statement that controls the transaction. */
  async command(text: string): Promise<void> {
    await this.#noteLoss(withLossDetected(this.client.query(text)));
  }

  streamQuery = refuseStream;

  async #noteLoss<T>(answer: Promise<T>): Promise<T> {
    try {
      return await answer;
    } catch (error) {
      this.isBroken ||= isLost(error);
      throw error;
    }
  }
}

/** A query in the form of `pg`. */
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

/** Runs one statement; forgets all prepared ones when it finds them outdated. */
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

/** Turns every failure that is not an error of the server into ConnectionLost. */
async function withLossDetected<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw isServerError(error) ? error : new ConnectionLost(reasonOf(error));
  }
}

/** NUL, which PostgreSQL can't store in texts, becomes the replacement character. */
function storable(value: unknown): unknown {
  if (typeof value === 'string') return value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value;
  if (typeof value !== 'object' || value === null || Buffer.isBuffer(value)) return value;
  throw new TypeError('a column holds no objects');
}

/** The gateway reads in pages. */
function refuseStream<R>(): AsyncIterableIterator<QueryResult<R>> {
  throw new Error('read in pages instead of streaming');
}
