/** Decisions take an instant as an argument; only the composition root uses the real clock. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
}

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

export const systemClock: Clock = { now: () => Date.now() };

/** ISO 8601 in UTC with milliseconds. */
export function isoTimestamp(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

/** The range of the columns for durations; about 25 days. */
const MAX_DELAY_MS = 2 ** 31 - 1;

/**
 * Milliseconds between two instants, clamped to what a record can store: the clock may have been set meanwhile, by
 * years or backwards.
 */
export function elapsedMs(from: number, to: number): number {
  return Math.min(Math.max(0, to - from), MAX_DELAY_MS);
}
