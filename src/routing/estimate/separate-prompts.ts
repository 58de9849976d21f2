/** Prompts of one request that are each answered by itself, so that each alone has to fit a context. */
import type { NativeFormat } from '../../catalog/types.js';
import { type EmbeddingInput, inputsOf, isParts, isTokens } from '../../formats/embeddings/inputs.js';
import type { JsonObject } from '../../formats/json.js';
import { estimatePromptTokens, type NativePrompt, type SeparatePrompts } from './prompt-tokens.js';
import { rerankPrompts } from './rerank-prompts.js';

/** By format; one that is not here has one prompt. */
const PROMPTS: { readonly [F in NativeFormat]?: (body: JsonObject) => SeparatePrompts } = {
  embeddings: ({ input }) => summed(inputsOf(input).map(tokensOf)),
  rerank: rerankPrompts,
};

/** undefined where the request has one prompt. Each is measured once: texts may have megabytes. */
export function separatePrompts(native: NativePrompt | undefined): SeparatePrompts | undefined {
  if (native === undefined) return undefined;
  const { format, body } = native;
  const known = measured.get(body) ?? PROMPTS[format]?.(body);
  if (known !== undefined) measured.set(body, known);
  return known;
}

const measured = new WeakMap<JsonObject, SeparatePrompts>();

type Tokens = Omit<SeparatePrompts, 'count' | 'searchUnits'>;

/** Tokens that the caller has made are as many as they are; hosts that take text count some more. */
function tokensOf(input: EmbeddingInput): Tokens {
  if (!isTokens(input)) {
    return estimatePromptTokens({ messages: isParts(input) ? input.content : [input] });
  }
  const { length } = input;
  return { low: length, likely: length, high: length * TOKENS_OF_OTHERS };
}

/** Other tokenizers make more of a text; hardly any twice as many. */
const TOKENS_OF_OTHERS = 2;

function summed(prompts: readonly Tokens[]): SeparatePrompts {
  let [low, likely, high] = [0, 0, 0];
  for (const one of prompts) {
    low = Math.max(low, one.low);
    likely += one.likely;
    high += one.high;
  }
  return { count: prompts.length, low, likely, high, searchUnits: NO_SEARCHES };
}

const NO_SEARCHES = { likely: 0, high: 0 };
