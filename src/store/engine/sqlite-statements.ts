import type SqliteDatabase from 'better-sqlite3';
import { isMoney } from './columns.js';

/** Prepared statements kept per connection. Far more than the queries that are written in the code. */
const STATEMENT_BOUND = 512;

/** Keeps a connection's statements prepared, since preparing costs more than running most. */
export class StatementCache {
  readonly #database: SqliteDatabase.Database;
  readonly #statements = new Map<string, Statement>();

  constructor(database: SqliteDatabase.Database) {
    this.#database = database;
  }

  get(sql: string): Statement {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    // Far more than are ever asked for: which of them are prepared again does not matter.
    if (this.#statements.size >= STATEMENT_BOUND) this.#statements.clear();
    const statement = new Statement(this.#database.prepare(sql));
    this.#statements.set(sql, statement);
    return statement;
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
