import SqliteDatabase from 'better-sqlite3';
import { isMoney } from '../../columns.js';
import { DatabaseUnusable } from '../../unavailable.js';

/**
 * Every connection of this process with its statements, also when it is closed: V8 must never collect them. From Node
 * 24.19 on the destructor of `node::ObjectWrap`, on which better-sqlite3 12 builds its objects, needs an entered
 * context, and a garbage collection outside of JavaScript has none; it would abort the process. better-sqlite3 13 does
 * not use it, but needs Node-API 10, which Node 20 does not have. See
 * `docs/adr/0010-sqlite-objects-are-never-collected.md`.
 */
const CONNECTIONS: Connection[] = [];

/** A connection to a SQLite file. All use of better-sqlite3 goes through it, except on the threads. */
export class Connection {
  readonly #database: SqliteDatabase.Database;
  /**
   * Each text is prepared once, since preparing costs more than running most statements. None is ever released, so
   * there must be few texts: values are parameters, and lists have at most 100 entries (a page of rows while a database
   * is copied). All texts of a gateway, about a thousand, take about 20 MB.
   */
  readonly #statements = new Map<string, Statement>();

  /**
   * Opens the file, or creates it. Statements wait up to `busyTimeoutMs` for a lock of another process. Methods throw
   * SQLite's own errors; see `errors.ts`. Throws DatabaseUnusable where better-sqlite3 has no binary for this Node.
   */
  constructor(file: string, busyTimeoutMs: number) {
    this.#database = open(file, busyTimeoutMs);
    CONNECTIONS.push(this);
  }

  get inTransaction(): boolean {
    return this.#database.inTransaction;
  }

  /** Prepares the statement, or returns the one prepared before; it lives as long as the process. */
  statement(sql: string): Statement {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = new Statement(this.#database.prepare(sql));
    this.#statements.set(sql, statement);
    return statement;
  }

  /** Runs statements without parameters and results, and does not cache them. */
  exec(sql: string): void {
    this.#database.exec(sql);
  }

  /**
   * Copies the database into an empty file. All pages go in one step, which keeps one snapshot: between steps a commit of
   * another process would begin the copy anew, and beside a busy gateway it would never end.
   */
  async backup(file: string): Promise<void> {
    await this.#database.backup(file, { progress: () => ALL_PAGES });
  }

  close(): void {
    this.#database.close();
  }
}

function open(file: string, busyTimeoutMs: number): SqliteDatabase.Database {
  try {
    return new SqliteDatabase(file, { timeout: busyTimeoutMs });
  } catch (error) {
    throw lacksBinary(error) ? new DatabaseUnusable(NO_BINARY) : error;
  }
}

/**
 * Whether there is no binary at all, in the words of the package `bindings`, or one for another Node or system, in the
 * loader's words.
 */
function lacksBinary(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code }: NodeJS.ErrnoException = error;
  return code === 'ERR_DLOPEN_FAILED' || error.message.startsWith('Could not locate the bindings file');
}

/** npm 11 warns of install scripts that nobody has allowed, and `--ignore-scripts` leaves them out. */
const NO_BINARY = `better-sqlite3 has no binary for Node ${process.versions.node} on ${process.platform}-${process.arch}; "npm rebuild better-sqlite3" fetches or compiles one, where npm may run its install script`;

/** The most that a step of a backup can be told to copy. */
const ALL_PAGES = 2 ** 31 - 1;

type Row = Record<string, unknown>;

/**
 * A prepared statement that reads integers as bigint or number, by the table types. The library gives arrays of
 * values, of which rows are made here: it would set each column of a row by a call from native code, which takes
 * longer than reading it.
 */
export class Statement {
  readonly #statement: SqliteDatabase.Statement<unknown[], unknown[]>;
  readonly #columns: readonly string[];
  /** By column: whether it is an integer that is read as bigint but wanted as number. */
  readonly #areNumbers: readonly boolean[];

  constructor(statement: SqliteDatabase.Statement<unknown[], unknown[]>) {
    this.#columns = statement.reader ? statement.columns().map((column) => column.name) : [];
    const hasMoney = this.#columns.some(isMoney);
    this.#areNumbers = this.#columns.map((name) => hasMoney && !isMoney(name));
    if (statement.reader) statement.raw().safeIntegers(hasMoney);
    this.#statement = statement;
  }

  get returnsRows(): boolean {
    return this.#statement.reader;
  }

  all(parameters: readonly unknown[]): Row[] {
    return this.#statement.all(...parameters).map((values) => this.#rowOf(values));
  }

  run(parameters: readonly unknown[]): SqliteDatabase.RunResult {
    return this.#statement.run(...parameters);
  }

  #rowOf(values: readonly unknown[]): Row {
    const row: Row = {};
    for (let index = 0; index < this.#columns.length; index++) {
      const name = this.#columns[index] ?? '';
      const value = values[index];
      row[name] = this.#areNumbers[index] === true && typeof value === 'bigint' ? Number(value) : value;
    }
    return row;
  }
}
