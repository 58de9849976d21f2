import { Problem } from '../../base/problem.js';

/** Most interruptions (a restart, a failover) end within seconds. */
const RETRY_AFTER_S = 1;

/** The 503 for a database that can't be reached or does not answer in time. */
export function databaseUnavailable(cause: unknown): Problem {
  return new Problem('database_unavailable', 'The database is not available; try again in a moment', {
    cause,
    retryAfterSeconds: RETRY_AFTER_S,
  });
}

/** A database that can't be opened. The message tells the operator why. */
export class DatabaseUnusable extends Error {
  override readonly name = 'DatabaseUnusable';
  /** What is wrong with the stored bytes; undefined when that is not the cause. */
  readonly damage: string | undefined;

  constructor(message: string, damage?: string) {
    super(message);
    this.damage = damage;
  }
}
