import type { HostRefusals } from '../../inference/ports/refusals.js';

/** It refuses nothing of a request. */
export const DEMO_REFUSALS: HostRefusals = {};
