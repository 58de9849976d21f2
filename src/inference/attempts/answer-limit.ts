/** Limits how long an answer may be, for formats whose clients have other models in mind than the one that answers. */
import type { Endpoint } from '../../catalog/types.js';
import type { ChatBody } from '../../formats/chat/types.js';
import { estimatePromptTokens } from '../../routing/estimate/prompt-tokens.js';

/** Code, and languages other than English, have more tokens than the estimate. */
const TOKENS_PER_ESTIMATED = 1.25;

/**
 * The chat with a limit that the endpoint accepts: at most its maximum, and what its context leaves besides the prompt.
 * Clients ask for as much as their own models can write, which other hosts refuse.
 */
export function withinLimitOf(
  body: ChatBody,
  { contextLength, maxCompletionTokens }: Pick<Endpoint, 'contextLength' | 'maxCompletionTokens'>,
): ChatBody {
  const { max_tokens } = body;
  if (max_tokens === undefined) return body;
  const limit = Math.min(max_tokens, maxCompletionTokens ?? max_tokens);
  if (contextLength === null) return limit === max_tokens ? body : { ...body, max_tokens: limit };
  const promptTokens = Math.ceil(estimatePromptTokens(body).likely * TOKENS_PER_ESTIMATED);
  return { ...body, max_tokens: Math.min(limit, Math.max(contextLength - promptTokens, 1)) };
}
