import type { JsonObject } from '../../../../formats/chat/types.js';
import { elements, isObject, members } from '../../../../formats/json.js';

/** A candidate's log probabilities in the chat format; undefined where it has none. */
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
  // Protobuf's JSON leaves out 0, the logarithm of probability 1.
  return { token: text, logprob: Number(logProbability ?? 0), bytes: [...Buffer.from(text)] };
}
