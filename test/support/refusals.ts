import { Refusals } from '../../src/inference/attempts/refusals.js';
import { HOST_REFUSALS } from '../../src/providers/index.js';

/** In the words of all providers. */
export const REFUSALS = new Refusals(HOST_REFUSALS);
