import type { HostRefusals } from '../../inference/ports/refusals.js';

/** The demo provider refuses no part of a request. */
export const DEMO_REFUSALS: HostRefusals = {};
