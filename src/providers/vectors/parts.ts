/** Calls with more inputs than a host takes at once, in parts of as many as it takes. */
import { inputsOf } from '../../formats/embeddings/inputs.js';
import type { UpstreamCall, UpstreamUsage } from '../../inference/ports/adapter.js';
import type { CallParts } from '../http/codec.js';
import { vectorsAnswer } from './vectors.js';

/** For hosts that take at most so many inputs in a call. */
export function callsInParts<Credential>(
  maxInputs: (call: UpstreamCall<Credential, 'embeddings'>) => number,
): CallParts<Credential, 'embeddings'> {
  return {
    of(call) {
      const inputs = inputsOf(call.body.input);
      const most = maxInputs(call);
      if (inputs.length <= most) return [call];
      return Array.from({ length: Math.ceil(inputs.length / most) }, (_, part) => ({
        ...call,
        body: { ...call.body, input: inputs.slice(part * most, (part + 1) * most) },
      }));
    },
    joined(answers) {
      const [first] = answers;
      if (first !== undefined && answers.length === 1) return first;
      const vectors = answers.flatMap((one) => one.vectors);
      const usages = answers.map(({ normalized }) => normalized.usage);
      return vectorsAnswer(vectors, summed(usages), first?.native);
    },
  };
}

/** A count that a part has not told is missing. */
function summed(usages: readonly UpstreamUsage[]): UpstreamUsage {
  const counts = usages.map(({ promptTokens }) => promptTokens);
  if (counts.includes(undefined)) return {};
  return { promptTokens: counts.reduce<number>((sum, count) => sum + (count ?? 0), 0) };
}
