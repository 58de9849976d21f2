/** How often an answer may be begun within one request. */
import type { Endpoint } from '../../catalog/types.js';
import { MAX_CHOICES, ownSizeOf } from '../../formats/answer-size.js';
import { hostWorkOf, turnsUnasked } from '../../formats/host-work.js';
import { type UsageBounds, usageBounds } from '../../ledger/possible-usage.js';
import { type SentRequest, sentBody } from '../ports/inference-request.js';

/** Of work that nobody bounds. After so many turns Anthropic's API pauses. */
const UNBOUNDED_TURNS = 10;

/** How many choices an answer has. */
export function choicesOf({ chat: { n } }: SentRequest): number {
  return Number.isSafeInteger(n) ? Math.min(Math.max(Number(n), 1), MAX_CHOICES) : 1;
}

/**
 * The most that an answer to the request may have used, by the endpoint. The request is read once: `n`, members of other APIs
 * that mean the same, and tools of the provider's.
 */
export function boundsOf(request: SentRequest): (endpoint: Endpoint) => UsageBounds {
  let known: { readonly answers: number; readonly turns: number } | undefined;
  return (endpoint) => {
    known ??= countsOf(request);
    const { answers, turns } = known;
    return usageBounds(endpoint, { answers, turns: turns + turnsUnasked(endpoint.upstreamModelId) });
  };
}

function countsOf(request: SentRequest) {
  const sent = sentBody(request);
  return {
    answers: Math.max(choicesOf(request), ownSizeOf(sent).answers),
    turns: hostWorkOf(sent).reduce((sum, { maxTurns }) => sum + (maxTurns ?? UNBOUNDED_TURNS), 1),
  };
}
