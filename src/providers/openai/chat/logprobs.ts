/**
 * Log probabilities of a choice's tokens, as OpenAI's types have them: clients refuse an answer with a token that lacks a member
 * (https://github.com/xorbitsai/inference/pull/5252), and one in the lists of text completions, as some hosts give them of chats
 * (https://github.com/vllm-project/vllm/issues/3179, https://github.com/OpenRouterTeam/ai-sdk-provider/issues/41; 2026-11-26).
 */
import type { JsonObject } from '../../../formats/chat/types.js';
import { elements, isObject, members } from '../../../formats/json.js';

/** undefined if there are none. */
export function choiceLogprobs(given: unknown): JsonObject | undefined {
  if (!isObject(given)) return undefined;
  const { content, refusal, tokens, token_logprobs, top_logprobs, ...others } = given;
  if (Array.isArray(content) || Array.isArray(refusal)) {
    return { ...others, content: tokensIn(content), refusal: tokensIn(refusal) };
  }
  if (!Array.isArray(tokens)) return undefined;
  const listed = tokens.map((token, place) => ({
    token,
    logprob: elements(token_logprobs)[place],
    top_logprobs: elements(top_logprobs)[place],
  }));
  return { content: tokensIn(listed), refusal: null };
}

/** Without those whose probability is not known. */
function tokensIn(given: unknown): JsonObject[] | null {
  if (!Array.isArray(given)) return null;
  return given.flatMap((token) =>
    probable(token).map((known) => ({ ...known, top_logprobs: othersIn(known.top_logprobs) })),
  );
}

/** Text completions have a probability by token. */
function othersIn(given: unknown): JsonObject[] {
  const listed = isObject(given)
    ? Object.entries(given).map(([token, logprob]) => ({ token, logprob }))
    : elements(given);
  return listed.flatMap(probable);
}

function probable(value: unknown): JsonObject[] {
  const given = members(value);
  const { token, logprob, bytes } = given;
  if (typeof token !== 'string' || !Number.isFinite(logprob)) return [];
  return [{ ...given, bytes: Array.isArray(bytes) ? bytes : null }];
}
