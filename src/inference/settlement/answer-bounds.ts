/** How often an answer may be begun within one request. */
import type { Endpoint } from '../../catalog/types.js';
import { MAX_CHOICES, ownSizeOf } from '../../formats/answer-size.js';
import { hostWorkOf, turnsUnasked } from '../../formats/host-work.js';
import { type UsageBounds, usageBounds } from '../../ledger/possible-usage.js';
import type { InferenceRequest } from '../ports/inference-request.js';

type Asked = Pick<InferenceRequest, 'body' | 'native'>;

/** Of work that nobody bounds. After so many turns Anthropic's API pauses. */
const UNBOUNDED_TURNS = 10;

/** How many choices an answer has. */
export function choicesOf({ body: { n } }: Asked): number {
  return Number.isSafeInteger(n) ? Math.min(Math.max(Number(n), 1), MAX_CHOICES) : 1;
}

/**
 * The most that an answer to the request may have used, by the endpoint. The request is read once: `n`, members of other APIs
 * that mean the same, and tools of the provider's.
 */
export function boundsOf(request: Asked): (endpoint: Endpoint) => UsageBounds {
  let known: { readonly answers: number; readonly turns: number } | undefined;
  return (endpoint) => {
    known ??= countsOf(request);
    const { answers, turns } = known;
    return usageBounds(endpoint, { answers, turns: turns + turnsUnasked(endpoint.upstreamModelId) });
  };
}

function countsOf(request: Asked) {
  const sent = request.native?.body ?? request.body;
  return {
    answers: Math.max(choicesOf(request), ownSizeOf(sent).answers),
    turns: hostWorkOf(sent).reduce((sum, { maxTurns }) => sum + (maxTurns ?? UNBOUNDED_TURNS), 1),
  };
}
