import { once } from 'node:events';
import { fdatasync, open } from 'node:fs';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';

/** Commits between two checkpoints. */
const INTERVAL_COMMITS = 200;

/**
 * The size of the log, in pages of 4 KiB, above which writers and reads on threads wait once. SQLite can restart the
 * log only when all of it is checkpointed and nothing reads from it, which never happens while commits or reads follow
 * each other. Writers wait for the disk, longest where chats of many API keys change pages of their own.
 */
const MAX_LOG_PAGES = 20_000;

/** How much larger the log is at the next attempt to restart it. */
const RETRY_GROWTH = 1.25;

/** How long reads that have not begun wait for one that runs; most take less. Quadruples with each attempt that failed. */
const FIRST_WAIT_MS = 200;

const THREAD = new URL('./checkpoint-worker.mjs', import.meta.url);

const THREAD_MIB = { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2 };

export interface CheckpointDependencies {
  /** Path of the database. */
  readonly file: string;
  /** Runs the work while this process neither writes nor reads on a thread; not at all when a read takes longer. */
  whileQuiet(maxWaitMs: number, work: () => Promise<unknown>): Promise<unknown>;
  /** Called when the thread has failed; no more checkpoints are made. */
  onFailure(): void;
}

/**
 * Checkpoints the write-ahead log on a thread, which starts with the first checkpoint, so that no request waits for the
 * disk. The durability of commits does not depend on it.
 */
export class Checkpoints {
  readonly #dependencies: CheckpointDependencies;
  #commits = 0;
  #restartAbove = MAX_LOG_PAGES;
  #waitMs = FIRST_WAIT_MS;
  #descriptor: number | undefined;
  #thread: Worker | undefined;
  #inFlight: Promise<void> | undefined;
  #hasFailed = false;

  constructor(dependencies: CheckpointDependencies) {
    this.#dependencies = dependencies;
  }

  /** To be called after every commit. */
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

  /** Waits for a checkpoint in flight, and ends the thread. */
  async close(): Promise<void> {
    await this.#inFlight;
    if (this.#thread === undefined || this.#hasFailed) return;
    await request(this.#thread, 'exit', 'end');
  }

  async #keepUp(): Promise<void> {
    while (this.#commits >= INTERVAL_COMMITS) {
      this.#commits = 0;
      const pages = await this.#checkpoint();
      if (pages > this.#restartAbove) await this.#restart(pages);
      else if (pages <= MAX_LOG_PAGES) {
        this.#restartAbove = MAX_LOG_PAGES;
        this.#waitMs = FIRST_WAIT_MS;
      }
    }
  }

  async #restart(pages: number): Promise<void> {
    // So that nobody waits for the disk but for what is committed meanwhile: SQLite flushes the file when all is copied.
    await this.#flush();
    await this.#checkpoint();
    await this.#dependencies.whileQuiet(this.#waitMs, () => this.#checkpoint());
    this.#restartAbove = pages * RETRY_GROWTH;
    this.#waitMs *= 4;
  }

  async #flush(): Promise<void> {
    // Never closed: that would release all locks that SQLite has on the file in this process
    // (https://www.sqlite.org/howtocorrupt.html, 2.2).
    this.#descriptor ??= await promisify(open)(this.#dependencies.file, 'r+');
    await promisify(fdatasync)(this.#descriptor);
  }

  async #checkpoint(): Promise<number> {
    this.#thread ??= startThread(this.#dependencies.file);
    const [pages] = (await request(this.#thread, 'message', 'checkpoint')) as [number];
    return pages;
  }
}

/** Sends a message and waits for the answer; keeps the process alive until then. */
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
  // `request` rejects with it.
  thread.on('error', () => undefined);
  return thread;
}
