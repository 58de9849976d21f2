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
