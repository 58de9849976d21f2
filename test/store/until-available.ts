import { setTimeout as sleep } from 'node:timers/promises';
import { Problem } from '../../src/base/problem.js';

/** On a busy machine some wait too long for a connection, and are told to try again; nothing is written then. */
export async function untilAvailable(work: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Problem) || error.reason !== 'database_unavailable') throw error;
      await sleep(100);
    }
  }
}
