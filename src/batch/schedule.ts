/**
 * Computes when a batch is polled again, with exponential backoff, and the other times of the state machine. Pure.
 */
import { DAY_MS } from '../base/clock.js';

const FIRST_WAIT_MS = 1000;
const MAX_WAIT_MS = 60_000;
const GROWTH = 1.5;

/** How long to wait after this many consecutive polls without news. */
export function waitMs(waits: number): number {
  return Math.min(MAX_WAIT_MS, Math.round(FIRST_WAIT_MS * GROWTH ** Math.min(waits, MAX_WAITS)));
}

const MAX_WAITS = 32;

/** How long objects live in buckets that the service creates: a batch that takes longer loses its results. */
export const LIFETIME_MS = 30 * DAY_MS;

/** The provider creates its service agents within minutes. After this long something else must be wrong. */
export const PROVISIONING_MS = 60 * 60 * 1000;

/** How long after an uncertain request for a job the provider may still create it. */
export const SETTLING_MS = 10_000;
