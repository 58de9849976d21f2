import { Worker } from 'node:worker_threads';
import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely';
import { isMoney } from '../../columns.js';
import { REPORT_TIMEOUT_MS } from '../../engine.js';
import { databaseUnavailable } from '../../unavailable.js';
import { asUnavailable } from '../connection/errors.js';

/** A longer queue would only time out. */
const MAX_WAITING_READS = 100;

/** Rows of one read: deserializing a hundred rows from the thread takes 1 ms of the event loop. */
const MAX_ROWS = 1_000;

const THREAD = new URL('./report-worker.mjs', import.meta.url);

/** A page of rows, beside what SQLite itself caches. A thread that needs more ends without the process. */
const THREAD_MIB = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 8 };

interface ReportThreadOptions {
  /** How long to wait for a lock of another process. */
  readonly busyTimeoutMs: number;
  /** How much of the database's pages the thread caches, in KiB. */
  readonly cacheKib: number;
  readonly timeoutMs?: number;
}

/**
 * A read-only connection on a thread of its own, so that long reads do not block the event loop. The thread starts with
 * the first read and is replaced when it ends; it runs one statement at a time. A read sees everything committed before
 * it was issued. Throws the Problem `database_unavailable` also when too many reads wait or an answer takes too long.
 * SQLite can't be interrupted from here: after a timeout the statement runs to its end, and the reads behind it wait
 * for that up to their own timeouts.
 */
export class ReportThread implements DatabaseConnection {
  readonly #file: string;
  readonly #settings: Pick<ReportThreadOptions, 'busyTimeoutMs' | 'cacheKib'>;
  readonly #timeoutMs: number;
  readonly #waiting: Read[] = [];
  #running: Read | undefined;
  #thread: Worker | undefined;
  #isHeld = false;
  #onIdle: (() => void) | undefined;

  constructor(file: string, { timeoutMs = REPORT_TIMEOUT_MS, ...settings }: ReportThreadOptions) {
    this.#file = file;
    this.#settings = settings;
    this.#timeoutMs = timeoutMs;
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    if (this.#waiting.length >= MAX_WAITING_READS) throw refused('too many reads wait already');
    let timer: NodeJS.Timeout | undefined;
    const answered = new Promise<Rows>((resolve, reject) => {
      const read = { sql, parameters, resolve, reject };
      timer = setTimeout(() => this.#giveUp(read), this.#timeoutMs).unref();
      this.#waiting.push(read);
    });
    this.#runNext();
    const rows = await answered.finally(() => clearTimeout(timer));
    // The query builder has compiled the statement from the table types, so the rows have type R.
    return { rows: objectsOf(rows) as R[] };
  }

  streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('read in pages instead of streaming');
  }

  /** Holds reads that have not begun until `resume`. Resolves once none runs. One at a time may hold. */
  async hold(): Promise<void> {
    this.#isHeld = true;
    if (this.#running === undefined) return;
    await new Promise<void>((resolve) => {
      this.#onIdle = resolve;
    });
  }

  resume(): void {
    this.#isHeld = false;
    this.#onIdle = undefined;
    this.#runNext();
  }

  /** Rejects waiting reads, waits for the running statement, as the exit of the process would, and ends the thread. */
  async close(): Promise<void> {
    for (const { reject } of this.#waiting.splice(0)) reject(refused('the database is closed'));
    const thread = this.#thread;
    if (thread === undefined) return;
    thread.ref();
    thread.postMessage('end');
    await new Promise((resolve) => thread.once('exit', resolve));
  }

  #runNext(): void {
    if (this.#running !== undefined || this.#isHeld) return;
    this.#running = this.#waiting.shift();
    if (this.#running === undefined) return;
    const { sql, parameters } = this.#running;
    this.#thread ??= this.#start();
    // Keeps the process alive until the answer arrives.
    this.#thread.ref();
    this.#thread.postMessage({ sql, parameters });
  }

  #start(): Worker {
    const workerData = { file: this.#file, ...this.#settings, maxRows: MAX_ROWS };
    const thread = new Worker(THREAD, { workerData, resourceLimits: THREAD_MIB });
    let cause: unknown = new Error('the thread that reads has ended');
    thread.on('message', (answer: Answer) => {
      thread.unref();
      this.#settle((read) => ('rows' in answer ? read.resolve(answer) : read.reject(errorOf(answer))));
    });
    thread.on('error', (error) => {
      cause = error;
    });
    thread.on('exit', () => {
      this.#thread = undefined;
      this.#settle(({ reject }) => reject(databaseUnavailable(cause)));
    });
    return thread;
  }

  #settle(settle: (read: Read) => void): void {
    if (this.#running !== undefined) settle(this.#running);
    this.#running = undefined;
    this.#onIdle?.();
    this.#runNext();
  }

  #giveUp(read: Read): void {
    read.reject(refused(`no answer within ${this.#timeoutMs} ms`));
    const index = this.#waiting.indexOf(read);
    if (index >= 0) {
      this.#waiting.splice(index, 1);
      return;
    }
    // The thread ends once SQLite returns; the next one takes over the waiting reads.
    this.#thread?.removeAllListeners('message');
    void this.#thread?.terminate();
  }
}

interface Read extends Pick<CompiledQuery, 'sql' | 'parameters'> {
  resolve(rows: Rows): void;
  reject(error: unknown): void;
}

/** Rows as they are sent between threads, with their column names only once. */
interface Rows {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
}

type Answer = Rows | { readonly code: string | undefined; readonly message: string };

function refused(why: string): unknown {
  return databaseUnavailable(new Error(why));
}

function errorOf({ code, message }: Exclude<Answer, Rows>): unknown {
  return asUnavailable(Object.assign(new Error(message), { code }));
}

/** The rows as `Statement.all` returns them. */
function objectsOf({ columns, rows }: Rows): object[] {
  const readers = columns.map((name) => (isMoney(name) ? unchanged : numberOrBuffer));
  return rows.map((row) =>
    Object.fromEntries(columns.map((name, index) => [name, readers[index]?.(row[index])])),
  );
}

function unchanged(value: unknown): unknown {
  return value;
}

/** A Buffer arrives from another thread as a Uint8Array. */
function numberOrBuffer(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  return value instanceof Uint8Array ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : value;
}
