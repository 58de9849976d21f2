/** When a batch is polled again, with exponential backoff, and the other times that its state machine uses. Pure. */
import { DAY_MS } from '../base/clock.js';

const FIRST_WAIT_MS = 1000;
const MAX_WAIT_MS = 60_000;
const GROWTH = 1.5;

/** How long to wait after this many consecutive polls without news. */
export function waitMs(waits: number): number {
  return Math.min(MAX_WAIT_MS, Math.round(FIRST_WAIT_MS * GROWTH ** Math.min(waits, MAX_WAITS)));
}

const MAX_WAITS = 32;

/**
 * The lifetime of objects in the buckets that the service creates: a batch that has not ended by then has no results.
 */
export const LIFETIME_MS = 30 * DAY_MS;

/** The provider creates its service agents within minutes; after this long, something else is wrong. */
export const PROVISIONING_MS = 60 * 60 * 1000;

/** How long after an uncertain request for a job the provider may still create it. */
export const SETTLING_MS = 10_000;
