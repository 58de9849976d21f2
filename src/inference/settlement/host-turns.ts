/** How often a provider may go on by itself within one request, with what its own tools have found. */
import { hostWorkOf } from '../../formats/host-work.js';
import type { InferenceRequest } from '../inference-request.js';

/** Of work that nobody bounds. After so many turns Anthropic's API pauses. */
const UNBOUNDED_TURNS = 10;

/** 1 for a request without tools of the provider's. */
export function hostTurns({ body, native }: Pick<InferenceRequest, 'body' | 'native'>): number {
  const work = hostWorkOf(native?.body ?? body);
  return work.reduce((turns, { maxTurns }) => turns + (maxTurns ?? UNBOUNDED_TURNS), 1);
}
