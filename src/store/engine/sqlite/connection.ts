import SqliteDatabase from 'better-sqlite3';
import { isMoney } from '../columns.js';

/**
 * Every connection of this process with its statements, also when it is closed. V8 may never collect them: from Node
 * 24.19 on the destructor of `node::ObjectWrap`, which better-sqlite3 12 builds its objects on, needs an entered
 * context, and a garbage collection outside of JavaScript has none; it would abort the process. better-sqlite3 13
 * does without it, but needs Node-API 10, which Node 20 does not have.
 */
const CONNECTIONS: Connection[] = [];

/** A connection to a SQLite file. better-sqlite3 is used through it alone; threads have their own. */
export class Connection {
  readonly #database: SqliteDatabase.Database;
  /**
   * Prepared once each, since preparing costs more than running most. None is given up, so texts must be few: values
   * are parameters, and a list is of 100 entries at most (while a database is copied, a page of rows). All texts that a
   * gateway can come to, a thousand or so, take about 20 MB.
   */
  readonly #statements = new Map<string, Statement>();

  /**
   * Opens the file, which is made where it is not there. A lock of another process is waited for this long; whatever
   * is asked here throws SQLite's own error, `isBusy` after that time.
   */
  constructor(file: string, busyTimeoutMs: number) {
    this.#database = new SqliteDatabase(file, { timeout: busyTimeoutMs });
    CONNECTIONS.push(this);
  }

  get inTransaction(): boolean {
    return this.#database.inTransaction;
  }

  /** The statement of this text, which is kept for as long as the process lives. */
  statement(sql: string): Statement {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = new Statement(this.#database.prepare(sql));
    this.#statements.set(sql, statement);
    return statement;
  }

  /** Runs statements that are not to be kept, without parameters and without an answer. */
  exec(sql: string): void {
    this.#database.exec(sql);
  }

  /** Does nothing the second time. */
  close(): void {
    this.#database.close();
  }
}

type Row = Record<string, unknown>;

/** A prepared statement that reads integers as the table types say. */
export class Statement {
  readonly #statement: SqliteDatabase.Statement<unknown[], Row>;
  /** The columns to turn from bigint into number; empty where SQLite already reads all integers as numbers. */
  readonly #numberColumns: readonly string[];

  constructor(statement: SqliteDatabase.Statement<unknown[], Row>) {
    const columns = statement.reader ? statement.columns().map((column) => column.name) : [];
    const numberColumns = columns.filter((name) => !isMoney(name));
    const holdsMoney = numberColumns.length < columns.length;
    if (statement.reader) statement.safeIntegers(holdsMoney);
    this.#statement = statement;
    this.#numberColumns = holdsMoney ? numberColumns : [];
  }

  get returnsRows(): boolean {
    return this.#statement.reader;
  }

  all(parameters: readonly unknown[]): Row[] {
    const rows = this.#statement.all(...parameters);
    for (const row of rows) {
      for (const column of this.#numberColumns) {
        if (typeof row[column] === 'bigint') row[column] = Number(row[column]);
      }
    }
    return rows;
  }

  run(parameters: readonly unknown[]): SqliteDatabase.RunResult {
    return this.#statement.run(...parameters);
  }
}
