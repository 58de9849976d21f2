import type { Endpoint } from '../catalog/types.js';
import type { ChatBody } from './dialect.js';

/** What an answer is reckoned to have at most where the request does not bound it (interface section 5). */
export const UNBOUNDED_ANSWER_TOKENS = 4096;

/** The most tokens that the answer is reckoned to have, of which efforts take their share. */
export function answerTokens(
  { max_tokens, max_completion_tokens }: Pick<ChatBody, 'max_tokens' | 'max_completion_tokens'>,
  { maxCompletionTokens }: Pick<Endpoint, 'maxCompletionTokens'>,
): number {
  return (
    max_completion_tokens ?? max_tokens ?? Math.min(UNBOUNDED_ANSWER_TOKENS, maxCompletionTokens ?? Infinity)
  );
}
