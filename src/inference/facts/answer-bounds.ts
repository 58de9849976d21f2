/** Bounds how many answers, and turns, one request may have. */
import type { Endpoint } from '../../catalog/types.js';
import { MAX_CHOICES, ownSizeOf } from '../../formats/answer-size.js';
import { hostWorkOf, turnsUnasked } from '../../formats/host-work.js';
import { type AnswerCount, type UsageBounds, usageBounds } from '../../ledger/pricing/possible-usage.js';
import { separatePrompts } from '../../routing/estimate/separate-prompts.js';
import { type SentRequest, sentBody } from '../ports/inference-request.js';

/** Assumed for work that has no limit. Anthropic's API pauses after this many turns. */
const UNBOUNDED_TURNS = 10;

/** How many choices the answer has. */
export function choicesOf({ chat: { n } }: SentRequest): number {
  return Number.isSafeInteger(n) ? Math.min(Math.max(Number(n), 1), MAX_CHOICES) : 1;
}

/**
 * The most that an answer to the request may have used at an endpoint. The request is read once: `n`, members of other
 * APIs with the same meaning, and the provider's own tools.
 */
export function boundsOf(request: SentRequest): (endpoint: Endpoint) => UsageBounds {
  let known: AnswerCount | undefined;
  return (endpoint) => {
    known ??= countsOf(request);
    const turns = known.turns + turnsUnasked(endpoint.upstreamModelId);
    return usageBounds(endpoint, { ...known, turns });
  };
}

function countsOf(request: SentRequest): AnswerCount {
  const sent = sentBody(request);
  return {
    prompts: request.format === 'chat' ? 1 : (separatePrompts(request)?.count ?? 1),
    answers: Math.max(choicesOf(request), ownSizeOf(sent).answers),
    turns: hostWorkOf(sent).reduce((sum, { maxTurns }) => sum + (maxTurns ?? UNBOUNDED_TURNS), 1),
  };
}
