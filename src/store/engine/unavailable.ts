import { Problem } from '../../base/problem.js';

/** How soon a caller may try again: most interruptions (a restart, a failover) end within seconds. */
const RETRY_AFTER_S = 1;

/** The failure of whatever needs a database that can't be had, or that does not answer in time (503). */
export function databaseUnavailable(cause: unknown): Problem {
  return new Problem('database_unavailable', 'The database is not available; try again in a moment', {
    cause,
    retryAfterSeconds: RETRY_AFTER_S,
  });
}

/** A database that can't be opened. The message says why, in words for whoever runs the gateway. */
export class DatabaseUnusable extends Error {
  override readonly name = 'DatabaseUnusable';
  /** What is wrong with its stored bytes; undefined where that is not why. */
  readonly damage: string | undefined;

  constructor(message: string, damage?: string) {
    super(message);
    this.damage = damage;
  }
}
