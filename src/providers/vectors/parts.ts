/** Calls with more inputs than a host takes at once, in parts of as many as it takes. */
import { type EmbeddingInput, inputsOf } from '../../formats/embeddings/inputs.js';
import type { UpstreamCall } from '../../inference/ports/adapter.js';
import { separatePrompts } from '../../routing/estimate/separate-prompts.js';
import type { CallParts } from '../http/codec.js';
import { usageOfAll, vectorsAnswer } from './vectors.js';

/** What a host takes in a call. */
export interface CallLimits {
  readonly inputs: number;
  /** Of all inputs together; it is kept to whatever the host's tokenizer makes of them. A single input is left to the host. */
  readonly tokens?: number | undefined;
}

/** For hosts that take so much in a call, unless a quirk says otherwise. */
export function callsInParts<Credential>(
  limitsOf: (call: UpstreamCall<Credential, 'embeddings'>) => CallLimits,
): CallParts<Credential, 'embeddings'> {
  return {
    of(call) {
      const { inputs: known, tokens } = limitsOf(call);
      const { maxInputs: inputs = known } = call.endpoint.quirks;
      const parts = dividedBy({ inputs, tokens }, inputsOf(call.body.input));
      return parts.length === 1 ? [call] : parts.map((input) => ({ ...call, body: { ...call.body, input } }));
    },
    joined(answers) {
      const [first] = answers;
      if (first !== undefined && answers.length === 1) return first;
      const vectors = answers.flatMap((one) => one.vectors);
      const counts = answers.map(({ normalized }) => normalized.usage.promptTokens);
      return vectorsAnswer(vectors, usageOfAll(counts), first?.native);
    },
  };
}

function dividedBy(
  { inputs: maxInputs, tokens: maxTokens = Number.POSITIVE_INFINITY }: CallLimits,
  inputs: readonly EmbeddingInput[],
): EmbeddingInput[][] {
  if (inputs.length === 1) return [[...inputs]];
  const sizeOf = maxTokens === Number.POSITIVE_INFINITY ? () => 0 : mostTokens;
  const parts: EmbeddingInput[][] = [];
  let held = 0;
  for (const input of inputs) {
    const size = sizeOf(input);
    const part = parts.at(-1);
    if (part === undefined || part.length === maxInputs || held + size > maxTokens) {
      parts.push([input]);
      held = size;
    } else {
      part.push(input);
      held += size;
    }
  }
  return parts;
}

function mostTokens(input: EmbeddingInput): number {
  return separatePrompts({ format: 'embeddings', body: { input: [input] } })?.high ?? 0;
}
