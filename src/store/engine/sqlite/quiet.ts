import { setTimeout as sleep } from 'node:timers/promises';
import type { SqliteWriteDriver } from './driver.js';
import type { ReportThread } from './report-thread.js';

/** How long reads that have not begun wait for one that runs; most take less. */
const MAX_WAIT_MS = 100;

/**
 * Runs the work while no write transaction is open and none of the threads reads. Writers wait for the work alone, not for
 * reads. Does not run it when a read takes too long.
 */
export async function whileQuiet(
  driver: SqliteWriteDriver,
  threads: readonly ReportThread[],
  work: () => Promise<unknown>,
): Promise<void> {
  try {
    const held = Promise.all(threads.map((thread) => thread.hold())).then(() => true);
    if (await Promise.race([held, sleep(MAX_WAIT_MS, false, { ref: false })])) {
      await driver.whileNobodyWrites(work);
    }
  } finally {
    for (const thread of threads) thread.resume();
  }
}
