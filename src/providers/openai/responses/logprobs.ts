/** Probabilities of tokens, as chats have them. */
import type { JsonObject } from '../../../formats/chat/types.js';
import { elements, isObject, members } from '../../../formats/json.js';

/** undefined if there are none. */
export function logprobsOf(given: unknown): JsonObject | undefined {
  const content = elements(given).filter(isObject).map(tokenOf);
  return content.length === 0 ? undefined : { content, refusal: null };
}

/** Events of streams lack the bytes. */
function tokenOf({ token, logprob, bytes, top_logprobs }: JsonObject): JsonObject {
  const top = elements(top_logprobs).map(members);
  return {
    token,
    logprob,
    bytes: bytes ?? null,
    top_logprobs: top.map((other) => ({
      token: other.token,
      logprob: other.logprob,
      bytes: other.bytes ?? null,
    })),
  };
}
