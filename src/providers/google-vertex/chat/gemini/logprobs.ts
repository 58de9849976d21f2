import type { JsonObject } from '../../../../formats/chat/types.js';
import { elements, isObject, members } from '../../../../formats/json.js';

/** A choice's log probabilities in the chat format; undefined if it has none. */
export function logprobsOf({ logprobsResult }: JsonObject): JsonObject | undefined {
  if (!isObject(logprobsResult)) return undefined;
  const tops = elements(logprobsResult.topCandidates).map(members);
  const content = elements(logprobsResult.chosenCandidates).map((chosen, position) => ({
    ...tokenOf(chosen),
    top_logprobs: elements(tops[position]?.candidates).map(tokenOf),
  }));
  return { content, refusal: null };
}

function tokenOf(candidate: unknown): JsonObject {
  const { token, logProbability } = members(candidate);
  const text = typeof token === 'string' ? token : '';
  // JSON of Protobuf leaves out 0, the logarithm of probability 1.
  return { token: text, logprob: Number(logProbability ?? 0), bytes: [...Buffer.from(text)] };
}
