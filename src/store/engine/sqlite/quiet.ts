import { setTimeout as sleep } from 'node:timers/promises';
import type { SqliteWriteDriver } from './driver.js';
import type { ReportThread } from './threads/report-thread.js';

/**
 * Runs the work while no write transaction is open and no thread reads. Writers wait only for the work. New reads wait
 * for those that run, and for the work. Does not run it when a read takes longer than `maxWaitMs`.
 */
export async function whileQuiet(
  driver: SqliteWriteDriver,
  threads: readonly ReportThread[],
  maxWaitMs: number,
  work: () => Promise<unknown>,
): Promise<void> {
  try {
    const held = Promise.all(threads.map((thread) => thread.hold())).then(() => true);
    if (await Promise.race([held, sleep(maxWaitMs, false, { ref: false })])) {
      await driver.whileNobodyWrites(work);
    }
  } finally {
    for (const thread of threads) thread.resume();
  }
}
