import { Worker } from 'node:worker_threads';
import type { CompiledQuery, QueryResult } from 'kysely';
import { isMoney } from '../columns.js';
import { REPORT_TIMEOUT_MS } from '../engine.js';
import { databaseUnavailable } from '../unavailable.js';
import type { ReadConnection } from './driver.js';
import { asUnavailable } from './errors.js';

/** Reads that wait at once: more of them would only wait until nobody wants to know any longer. */
const MAX_WAITING_READS = 100;

/** Rows of one read: what comes from another thread is unpacked on the event loop, which takes 1 ms for a hundred rows. */
const MAX_ROWS = 1_000;

const THREAD = new URL('./report-thread.mjs', import.meta.url);

/** A page of rows at a time, beside what SQLite itself keeps; a thread that needs more ends alone. */
const THREAD_MIB = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 8 };

/** How a thread reads, and when it is given up. */
interface ReportThreadOptions {
  /** How long a lock of another process is waited for. */
  readonly busyTimeoutMs: number;
  readonly timeoutMs?: number;
}

/**
 * A connection that only reads, on a thread of its own: no read holds the event loop, however long it takes. The thread
 * begins with the first read and is replaced when it dies; statements follow each other on it. Each sees all that was
 * committed before it was asked. Throws the Problem `database_unavailable` also where too many wait and where an answer
 * takes too long. SQLite can't be interrupted from here: a statement that is given up goes on to its end, and those
 * behind it wait for that no longer than for their own time.
 */
export class ReportThread implements ReadConnection {
  readonly #file: string;
  readonly #busyTimeoutMs: number;
  readonly #timeoutMs: number;
  readonly #waiting: Read[] = [];
  #running: Read | undefined;
  #thread: Worker | undefined;

  constructor(file: string, { busyTimeoutMs, timeoutMs = REPORT_TIMEOUT_MS }: ReportThreadOptions) {
    this.#file = file;
    this.#busyTimeoutMs = busyTimeoutMs;
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
    this.#goOn();
    const rows = await answered.finally(() => clearTimeout(timer));
    // The row type is the query builder's word: it has compiled the statement from the table types.
    return { rows: objectsOf(rows) as R[] };
  }

  streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('read in pages instead of streaming');
  }

  /** Refuses what waits, waits for the statement that is running, as the end of the process would, and ends the thread. */
  async close(): Promise<void> {
    for (const { reject } of this.#waiting.splice(0)) reject(refused('the database is closed'));
    const thread = this.#thread;
    if (thread === undefined) return;
    thread.ref();
    thread.postMessage('end');
    await new Promise((resolve) => thread.once('exit', resolve));
  }

  #goOn(): void {
    if (this.#running !== undefined) return;
    this.#running = this.#waiting.shift();
    if (this.#running === undefined) return;
    const { sql, parameters } = this.#running;
    this.#thread ??= this.#start();
    // The process lives until the answer is there, also where it has nothing else to do.
    this.#thread.ref();
    this.#thread.postMessage({ sql, parameters });
  }

  #start(): Worker {
    const workerData = { file: this.#file, busyTimeoutMs: this.#busyTimeoutMs, maxRows: MAX_ROWS };
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
    this.#goOn();
  }

  #giveUp(read: Read): void {
    read.reject(refused(`no answer within ${this.#timeoutMs} ms`));
    const index = this.#waiting.indexOf(read);
    if (index >= 0) {
      this.#waiting.splice(index, 1);
      return;
    }
    // It ends once SQLite returns; whoever waits is served by the next thread.
    this.#thread?.removeAllListeners('message');
    void this.#thread?.terminate();
  }
}

/** A statement, and whoever waits for its rows. */
interface Read extends Pick<CompiledQuery, 'sql' | 'parameters'> {
  resolve(rows: Rows): void;
  reject(error: unknown): void;
}

/** Rows as they cross between threads: without the names that all of them share. */
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

/** The rows as a connection of this thread gives them. */
function objectsOf({ columns, rows }: Rows): object[] {
  const readers = columns.map((name) => (isMoney(name) ? asItIs : numberOrBuffer));
  return rows.map((row) =>
    Object.fromEntries(columns.map((name, index) => [name, readers[index]?.(row[index])])),
  );
}

function asItIs(value: unknown): unknown {
  return value;
}

/** Between threads a Buffer loses its kind. */
function numberOrBuffer(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  return value instanceof Uint8Array ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : value;
}
