import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** Commits between two checkpoints. */
const INTERVAL_COMMITS = 200;

/**
 * Pages of the log, of 4 KiB each, after which writers wait once: it can begin anew only when all of it is moved, and
 * as long as commits follow each other, some never are.
 */
const MAX_LOG_PAGES = 8_000;

const THREAD = new URL('./checkpoint-thread.mjs', import.meta.url);

/** What a thread needs, beside a connection. */
const THREAD_MIB = { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2 };

/** How checkpoints get on with the one who writes. */
export interface CheckpointDependencies {
  /** The database. */
  readonly file: string;
  /** Runs the work while no write transaction of this process is open. */
  whileNobodyWrites(work: () => Promise<unknown>): Promise<unknown>;
  /** No more checkpoints can be made here. */
  onFailure(): void;
}

/**
 * Moves committed pages from the write-ahead log into the database on a thread of its own, which begins with the first
 * checkpoint: it waits for the disk, and nobody is to wait with it. Commits are safe before as after it.
 */
export class Checkpoints {
  readonly #dependencies: CheckpointDependencies;
  #commits = 0;
  #thread: Worker | undefined;
  #inFlight: Promise<void> | undefined;
  #hasFailed = false;

  constructor(dependencies: CheckpointDependencies) {
    this.#dependencies = dependencies;
  }

  /** To be told of every commit. */
  committed(): void {
    this.#commits += 1;
    if (this.#commits < INTERVAL_COMMITS || this.#inFlight !== undefined || this.#hasFailed) return;
    this.#inFlight = this.#keepUp()
      .catch(() => {
        this.#hasFailed = true;
        this.#dependencies.onFailure();
      })
      .finally(() => {
        this.#inFlight = undefined;
      });
  }

  /** Waits for a checkpoint that is under way, and ends the thread. */
  async close(): Promise<void> {
    await this.#inFlight;
    if (this.#thread === undefined || this.#hasFailed) return;
    await request(this.#thread, 'exit', 'end');
  }

  async #keepUp(): Promise<void> {
    while (this.#commits >= INTERVAL_COMMITS) {
      this.#commits = 0;
      const pages = await this.#checkpoint();
      if (pages > MAX_LOG_PAGES) await this.#dependencies.whileNobodyWrites(() => this.#checkpoint());
    }
  }

  async #checkpoint(): Promise<number> {
    this.#thread ??= startThread(this.#dependencies.file);
    const [pages] = (await request(this.#thread, 'message', 'checkpoint')) as [number];
    return pages;
  }
}

/** What the thread answers to a message. The process lives until then, even where it has nothing else to do. */
async function request(thread: Worker, answer: 'message' | 'exit', message: string): Promise<unknown[]> {
  thread.ref();
  try {
    const answered = once(thread, answer);
    thread.postMessage(message);
    return await answered;
  } finally {
    thread.unref();
  }
}

function startThread(file: string): Worker {
  const thread = new Worker(THREAD, { workerData: file, resourceLimits: THREAD_MIB });
  thread.unref();
  // Whoever awaits an answer hears of it.
  thread.on('error', () => undefined);
  return thread;
}
