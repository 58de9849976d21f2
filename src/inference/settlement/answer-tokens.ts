import type { Endpoint } from '../../catalog/types.js';
import type { ChatBody } from '../../formats/chat/types.js';
import { UNBOUNDED_ANSWER_TOKENS } from '../../routing/estimate/request-size.js';

/** The most tokens that the answer is reckoned to have, of which efforts take their share. */
export function answerTokens(
  { max_tokens, max_completion_tokens }: Pick<ChatBody, 'max_tokens' | 'max_completion_tokens'>,
  { maxCompletionTokens }: Pick<Endpoint, 'maxCompletionTokens'>,
): number {
  return (
    max_completion_tokens ?? max_tokens ?? Math.min(UNBOUNDED_ANSWER_TOKENS, maxCompletionTokens ?? Infinity)
  );
}
