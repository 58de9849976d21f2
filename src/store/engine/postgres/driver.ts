import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from 'kysely';
import type { Client } from 'pg';
import type { PostgresConnections } from './connection/connections.js';
import {
  isConflict,
  isLost,
  isOutdated,
  isRefusal,
  isServerError,
  lossOf,
  spoilsConnection,
} from './connection/errors.js';
import { answerOf } from './connection/rows.js';
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
    return connection.command(this.#connections.beginning(this.#begin));
  }

  /** When the answer is lost, it is unknown whether the transaction is committed, so it must not be retried. */
  async commitTransaction(connection: WriteConnection): Promise<void> {
    try {
      await connection.command('commit');
    } catch (error) {
      throw isLost(error) ? this.#connections.unavailable(error) : error;
    }
  }

  /** If the rollback fails, the connection is closed, which ends the transaction. */
  async rollbackTransaction(connection: WriteConnection): Promise<void> {
    if (!connection.isLost) await connection.command('rollback').catch(() => {});
  }

  async releaseConnection({ client, fault }: WriteConnection): Promise<void> {
    this.#connections.release(client, fault);
  }

  async destroy(): Promise<void> {}
}

/** A stale connection fails at once; after a later loss a retry could take as long again. */
const RETRY_WITHIN_MS = 1_000;

/** Runs single statements, each on any free connection; retries when the connection was lost. */
export class AnyConnection implements DatabaseConnection {
  readonly #connections: PostgresConnections;
  readonly #names: StatementNames;

  constructor(connections: PostgresConnections) {
    this.#connections = connections;
    this.#names = new StatementNames(connections);
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const started = performance.now();
    for (let attempt = 1; ; attempt++) {
      const client = await this.#connections.acquire();
      let fault: unknown;
      try {
        const statement = statementOf(client, this.#names, query);
        return await (this.#connections.byTransaction
          ? this.#inTransaction<R>(client, statement)
          : run<R>(client, this.#names, statement));
      } catch (error) {
        fault = error;
        const isPrompt = performance.now() - started < RETRY_WITHIN_MS;
        // All connections of the pool may be stale; the one after them is new.
        const isLast = attempt > this.#connections.max;
        // A deadlock with a migration, or a statement that is outdated after one, has waited for it, and has rolled back
        // this query only.
        const mayRepeat = isConflict(error) || isOutdated(error) || (isPrompt && isLost(error));
        if (mayRepeat && !isLast) continue;
        throw isLost(error) || isRefusal(error) ? this.#connections.unavailable(error) : error;
      } finally {
        this.#connections.release(client, fault);
      }
    }
  }

  streamQuery = refuseStream;

  /** With the settings that the session can't have, in one round trip. The first failure is the cause of the others. */
  async #inTransaction<R>(client: Client, statement: Statement): Promise<QueryResult<R>> {
    const begun = withLossDetected(client.query(this.#connections.beginning('begin')));
    const answered = run<R>(client, this.#names, statement);
    const ended = withLossDetected(client.query('commit'));
    const [begin, answer, end] = await Promise.allSettled([begun, answered, ended]);
    if (begin.status === 'rejected') throw begin.reason;
    if (answer.status === 'rejected') throw answer.reason;
    if (end.status === 'rejected') throw end.reason;
    return answer.value;
  }
}

/**
 * A connection within a write transaction. Queries are pipelined: sent at once and in order, without awaiting answers.
 */
export class WriteConnection implements DatabaseConnection {
  readonly client: Client;
  readonly #names: StatementNames;
  /** What makes the connection one that must not be used again. */
  fault: unknown;

  constructor(client: Client, names: StatementNames) {
    this.client = client;
    this.#names = names;
  }

  get isLost(): boolean {
    return isLost(this.fault);
  }

  executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    return this.run<R>(this.statement(query));
  }

  /** Throws a TypeError when a parameter can't be sent. */
  statement(query: CompiledQuery): Statement {
    return statementOf(this.client, this.#names, query);
  }

  run<R>(statement: Statement): Promise<QueryResult<R>> {
    return this.#noteError(run<R>(this.client, this.#names, statement));
  }

  /** Runs a statement that controls the transaction. */
  async command(text: string): Promise<void> {
    await this.#noteError(withLossDetected(this.client.query(text)));
  }

  streamQuery = refuseStream;

  async #noteError<T>(answer: Promise<T>): Promise<T> {
    try {
      return await answer;
    } catch (error) {
      if (spoilsConnection(error)) this.fault ??= error;
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

function statementOf(client: Client, names: StatementNames, { sql, parameters }: CompiledQuery): Statement {
  const name = names.nameOf(client, sql);
  return { ...(name !== undefined && { name }), text: sql, values: parameters.map(storable) };
}

/** Runs one statement; forgets all prepared ones when it finds them outdated. */
async function run<R>(client: Client, names: StatementNames, statement: Statement): Promise<QueryResult<R>> {
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
    throw isServerError(error) ? error : lossOf(error);
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
