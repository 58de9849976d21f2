import { setTimeout as sleep } from 'node:timers/promises';
import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from 'kysely';
import type { OptimisticWrite } from '../engine.js';
import type { Connection, Statement } from './connection.js';
import { asUnavailable, isBusy } from './errors.js';
import { Mutex } from './mutex.js';

/** The longest pause between two attempts to get the write lock from another process. */
const MAX_PAUSE_MS = 20;

/** What single reads run on. */
export interface ReadConnection extends DatabaseConnection {
  close(): Promise<void>;
}

/** Single reads. */
export class SqliteReadDriver implements Driver {
  readonly #connection: ReadConnection;

  constructor(connection: ReadConnection) {
    this.#connection = connection;
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

  destroy(): Promise<void> {
    return this.#connection.close();
  }
}

/** Write transactions on one connection, in the order in which they were asked for. */
export class SqliteWriteDriver implements Driver {
  readonly #connection: Connection;
  readonly #queries: SqliteQueries;
  readonly #busyTimeoutMs: number;
  readonly #mutex = new Mutex();
  readonly #begin: Statement;
  readonly #commit: Statement;
  readonly #touch: Statement;
  readonly #onCommit: () => void;

  /** `onCommit` is told of every commit. */
  constructor(connection: Connection, busyTimeoutMs: number, onCommit: () => void) {
    this.#connection = connection;
    this.#begin = connection.statement('BEGIN IMMEDIATE');
    this.#commit = connection.statement('COMMIT');
    // Nothing else uses it; SQLite writes the page whatever is in it.
    this.#touch = connection.statement('PRAGMA user_version = 0');
    this.#queries = new SqliteQueries(connection);
    this.#busyTimeoutMs = busyTimeoutMs;
    this.#onCommit = onCommit;
    connection.exec('PRAGMA busy_timeout = 0');
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    await this.#mutex.lock();
    return this.#queries;
  }

  /**
   * Takes the file's write lock now, not at the first write: a transaction that has read never finds that it may
   * not write. Waiting is done between attempts, since SQLite's own wait would halt the whole process.
   */
  async beginTransaction(): Promise<void> {
    const giveUpAt = performance.now() + this.#busyTimeoutMs;
    for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)) {
      try {
        this.#begin.run([]);
        return;
      } catch (error) {
        if (!isBusy(error) || performance.now() > giveUpAt) throw error;
      }
      await sleep(pauseMs);
    }
  }

  async commitTransaction(): Promise<void> {
    this.#commit.run([]);
    this.#onCommit();
  }

  /** Some failures (a full disk) end the transaction by themselves; then nothing is left to undo. */
  async rollbackTransaction(): Promise<void> {
    if (this.#connection.inTransaction) this.#connection.exec('ROLLBACK');
  }

  async releaseConnection(): Promise<void> {
    this.#mutex.unlock();
  }

  /** Runs the work while no transaction is open. */
  async whileNobodyWrites(work: () => Promise<unknown>): Promise<void> {
    await this.#mutex.lock();
    try {
      await work();
    } finally {
      this.#mutex.unlock();
    }
  }

  /** Within a transaction: runs statements that give nothing, in that order. */
  write(queries: readonly CompiledQuery[]): void {
    for (const query of queries) this.#queries.run(query);
  }

  /** One transaction, at one go once it has begun; false where an objection keeps it from taking place. */
  async writeUnless({ unless, writes }: OptimisticWrite): Promise<boolean> {
    await this.#mutex.lock();
    try {
      await this.beginTransaction();
      if (unless.some((query) => this.#queries.rows(query).length > 0)) {
        await this.rollbackTransaction();
        return false;
      }
      this.write(writes);
      await this.commitTransaction();
      return true;
    } catch (error) {
      await this.rollbackTransaction();
      throw error;
    } finally {
      this.#mutex.unlock();
    }
  }

  /**
   * Commits a page that says the same as before. Waits for nobody: whoever writes now finds out by itself whether the
   * disk takes it.
   */
  async tryCommit(): Promise<void> {
    if (this.#mutex.isLocked) return;
    await this.#mutex.lock();
    try {
      this.#begin.run([]);
      this.#touch.run([]);
      await this.commitTransaction();
    } catch (error) {
      await this.rollbackTransaction();
      if (!isBusy(error)) throw error;
    } finally {
      this.#mutex.unlock();
    }
  }

  async destroy(): Promise<void> {
    await this.#mutex.lock();
    this.#connection.close();
    this.#mutex.unlock();
  }
}

class SqliteQueries implements DatabaseConnection {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  run({ sql, parameters }: CompiledQuery): void {
    this.#connection.statement(sql).run(parameters);
  }

  rows({ sql, parameters }: CompiledQuery): unknown[] {
    return this.#connection.statement(sql).all(parameters);
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    const statement = this.#connection.statement(sql);
    // The row type is the query builder's word: it has compiled the statement from the table types.
    if (statement.returnsRows) return { rows: statement.all(parameters) as R[] };
    const { changes, lastInsertRowid } = statement.run(parameters);
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
  }

  /** An open cursor would block every other statement of the connection. */
  streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('read in pages instead of streaming');
  }
}

/** Reads on a connection of this thread. A statement runs to its end before the next one starts, so nobody has to queue. */
export class DirectReads extends SqliteQueries implements ReadConnection {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    super(connection);
    this.#connection = connection;
  }

  override async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    try {
      return await super.executeQuery<R>(query);
    } catch (error) {
      throw asUnavailable(error);
    }
  }

  async close(): Promise<void> {
    this.#connection.close();
  }
}
