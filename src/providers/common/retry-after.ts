import type { IncomingHttpHeaders } from 'node:http';

/** Longer waits are cut to this: the provider's clock is probably wrong. */
const MAX_RETRY_AFTER_MS = 24 * 60 * 60 * 1000;

/**
 * How long a response asks to wait, in milliseconds from `now` (Unix milliseconds): `retry-after-ms`, else
 * `retry-after` in seconds or as an HTTP date, in the official clients' order. null if it has neither.
 */
export function retryAfterMs(headers: IncomingHttpHeaders, now: number): number | null {
  const wait = milliseconds(headers['retry-after-ms']) ?? secondsOrDate(headers['retry-after'], now);
  return wait === undefined ? null : Math.min(Math.max(0, Math.ceil(wait)), MAX_RETRY_AFTER_MS);
}

const NUMBER = /^\s*\d+(?:\.\d+)?\s*$/;

function milliseconds(text: IncomingHttpHeaders[string]): number | undefined {
  return typeof text === 'string' && NUMBER.test(text) ? Number(text) : undefined;
}

function secondsOrDate(text: IncomingHttpHeaders[string], now: number): number | undefined {
  const seconds = milliseconds(text);
  if (seconds !== undefined) return seconds * 1000;
  const date = typeof text === 'string' && /[a-z]/i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : date - now;
}
