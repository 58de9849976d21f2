import { setTimeout as sleep } from 'node:timers/promises';
import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from 'kysely';
import type { OptimisticWrite } from '../engine.js';
import type { Connection, Statement } from './connection/connection.js';
import { asUnavailable, isBusy } from './connection/errors.js';
import { Mutex } from './mutex.js';

/** Between two attempts to get the write lock from another process. */
const MAX_PAUSE_MS = 20;

/** Commands beside a server hold the write lock for less; whoever holds it for longer keeps chats waiting. */
const HELD_MS = 1_000;

/** Runs write transactions on one connection, one at a time, first come, first served. */
export class SqliteWriteDriver implements Driver {
  readonly #connection: Connection;
  readonly #queries: SqliteQueries;
  readonly #busyTimeoutMs: number;
  readonly #mutex = new Mutex();
  readonly #begin: Statement;
  readonly #commit: Statement;
  readonly #touch: Statement;
  readonly #onCommit: () => void;
  /** Since when another process has held the write lock, as far as was looked; undefined when it was free last. */
  #held: { readonly since: number; readonly error: unknown } | undefined;

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
   * Takes the write lock at once, not at the first write: otherwise a transaction that has read might not be allowed to
   * write. Waits between attempts, since SQLite's own wait would block the event loop.
   */
  async beginTransaction(): Promise<void> {
    const giveUpAt = performance.now() + this.#busyTimeoutMs;
    for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)) {
      try {
        this.#takeLock();
        return;
      } catch (error) {
        if (!isBusy(error) || performance.now() > giveUpAt) throw error;
      }
      await sleep(pauseMs);
    }
  }

  #takeLock(): void {
    try {
      this.#begin.run([]);
      this.#held = undefined;
    } catch (error) {
      if (isBusy(error)) this.#held ??= { since: performance.now(), error };
      throw error;
    }
  }

  async commitTransaction(): Promise<void> {
    this.#commit.run([]);
    this.#onCommit();
  }

  /** Some failures (a full disk) have already rolled the transaction back. */
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

  /** Within a transaction: runs statements without results, in order. */
  write(queries: readonly CompiledQuery[]): void {
    for (const query of queries) this.#queries.run(query);
  }

  /** One transaction, synchronous up to `onCommit` once it has begun; false when a precondition fails. */
  async writeUnless({ unless, writes, onCommit }: Omit<OptimisticWrite, 'proofs'>): Promise<boolean> {
    await this.#mutex.lock();
    try {
      await this.beginTransaction();
      if (unless.some((query) => this.#queries.rows(query).length > 0)) {
        await this.rollbackTransaction();
        return false;
      }
      this.write(writes);
      this.#commit.run([]);
      onCommit();
      this.#onCommit();
      return true;
    } catch (error) {
      await this.rollbackTransaction();
      throw error;
    } finally {
      this.#mutex.unlock();
    }
  }

  /** Whether a write could begin, without one: writes nothing to the disk. */
  async tryBegin(): Promise<void> {
    await this.#unlessWriting(async () => {
      this.#takeLock();
      await this.rollbackTransaction();
    });
  }

  /**
   * Commits an unchanged page, to find out whether the disk can be written. Returns at once when a write is in
   * progress, since that finds out too.
   */
  async tryCommit(): Promise<void> {
    await this.#unlessWriting(async () => {
      this.#takeLock();
      this.#touch.run([]);
      await this.commitTransaction();
    });
  }

  async #unlessWriting(work: () => Promise<void>): Promise<void> {
    if (!this.#mutex.isLocked) {
      await this.#mutex.lock();
      try {
        await work();
      } catch (error) {
        await this.rollbackTransaction();
        if (!isBusy(error)) throw error;
      } finally {
        this.#mutex.unlock();
      }
    }
    if (this.#held !== undefined && performance.now() - this.#held.since > HELD_MS) throw this.#held.error;
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
    // The query builder has compiled the statement from the table types, so the rows have type R.
    if (statement.returnsRows) return { rows: statement.all(parameters) as R[] };
    const { changes, lastInsertRowid } = statement.run(parameters);
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
  }

  /** An open cursor would block every other statement of the connection. */
  streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('read in pages instead of streaming');
  }
}

/** Reads synchronously, on this thread; so nothing has to queue. */
export class DirectReads extends SqliteQueries {
  override async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    try {
      return await super.executeQuery<R>(query);
    } catch (error) {
      throw asUnavailable(error);
    }
  }
}
