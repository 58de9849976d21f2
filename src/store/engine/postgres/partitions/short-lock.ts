import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import { isConflict, isLockTimeout } from '../connection/errors.js';

/** How long everybody else waits behind a statement that waits for its lock. */
const LOCK_MS = 200;

/** Between attempts, so that those who waited are served; at random, since several may be after the same lock. */
const MIN_PAUSE_MS = 200;
const MAX_PAUSE_MS = 800;

/** About a minute: a list may hold what is waited for half of that. */
const MAX_ATTEMPTS = 100;

/**
 * Runs a transaction of short statements that exclude everybody else. Where it would have to wait for its locks it
 * begins again, and throws when that goes on for too long.
 */
export async function inShortLock<T>(client: Client, work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      await client.query(`begin; set local lock_timeout = ${LOCK_MS}`);
      const result = await work();
      await client.query('commit');
      return result;
    } catch (error) {
      await client.query('rollback');
      if ((!isLockTimeout(error) && !isConflict(error)) || attempt === MAX_ATTEMPTS) throw error;
    }
    await sleep(MIN_PAUSE_MS + Math.random() * (MAX_PAUSE_MS - MIN_PAUSE_MS));
  }
}
