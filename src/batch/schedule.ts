/** When a batch is looked at again: soon at first, then ever more rarely, within bounds. Pure. */

const FIRST_WAIT_MS = 1000;
const MAX_WAIT_MS = 60_000;
const GROWTH = 1.5;

/** How long to wait after so many looks in a row that found nothing new. */
export function waitMs(waits: number): number {
  return Math.min(MAX_WAIT_MS, Math.round(FIRST_WAIT_MS * GROWTH ** Math.min(waits, MAX_WAITS)));
}

const MAX_WAITS = 32;

const DAY_MS = 24 * 60 * 60 * 1000;

/** As long as objects live in the buckets that the service makes: what has not ended by then has no results any more. */
export const LIFETIME_MS = 30 * DAY_MS;

/** The provider's agents are made within minutes; after this long, something else is wrong. */
export const PROVISIONING_MS = 60 * 60 * 1000;

/** How long after a job was asked for, or its answer lost, the provider may still come to make it. */
export const SETTLING_MS = 10_000;
