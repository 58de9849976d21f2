/** Where time comes from. Decisions take an instant as an argument; only composition knows the real clock. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
}

/** The machine's clock. */
export const systemClock: Clock = { now: () => Date.now() };

/** An ISO 8601 timestamp in UTC with milliseconds, as every record shows it. */
export function isoTimestamp(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

/** The longest time that a record holds, in milliseconds; about 25 days. */
const MAX_DELAY_MS = 2 ** 31 - 1;

/**
 * The milliseconds between two instants of the clock, as a record can hold them: somebody may have set the clock
 * meanwhile, by years or backwards.
 */
export function elapsedMs(from: number, to: number): number {
  return Math.min(Math.max(0, to - from), MAX_DELAY_MS);
}
