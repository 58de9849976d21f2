/** How often an answer may be begun within one request. */
import type { Endpoint } from '../../catalog/types.js';
import { ownSizeOf } from '../../formats/answer-size.js';
import { hostWorkOf, searchesUnasked } from '../../formats/host-work.js';
import type { AnswerCount } from '../../ledger/possible-usage.js';
import type { InferenceRequest } from '../inference-request.js';

/** Of work that nobody bounds. After so many turns Anthropic's API pauses. */
const UNBOUNDED_TURNS = 10;

/** As the request says it: in `n`, in members of other APIs that mean the same, and by tools of the provider's. */
export function answerCountOf({ body, native }: Pick<InferenceRequest, 'body' | 'native'>): AnswerCount {
  const sent = native?.body ?? body;
  const own = ownSizeOf(sent).answers;
  const turns = hostWorkOf(sent).reduce((sum, { maxTurns }) => sum + (maxTurns ?? UNBOUNDED_TURNS), 1);
  return { answers: Math.max(own, Number.isSafeInteger(body.n) ? Number(body.n) : 1), turns };
}

/** With the turn of a model that searches without being asked to. */
export function answerCountAt(
  { upstreamModelId }: Pick<Endpoint, 'upstreamModelId'>,
  { answers, turns }: AnswerCount,
): AnswerCount {
  return { answers, turns: searchesUnasked(upstreamModelId) > 0 ? turns + 1 : turns };
}
