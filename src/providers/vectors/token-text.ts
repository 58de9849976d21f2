/** Texts of tokens that a client made for a model of OpenAI's, for hosts that take texts alone: `docs/embeddings.md#tokens`. */
import type { Tiktoken } from 'js-tiktoken/lite';
import { type EmbeddingInput, inputsOf, isTokens } from '../../formats/embeddings/inputs.js';
import { UpstreamFailure } from '../../inference/ports/failure.js';

/** Whether the endpoint's host knows the tokens itself. */
export function knowsTokens({ modelId }: { readonly modelId: string }): boolean {
  return modelId.startsWith('openai/');
}

/** The input with texts in place of tokens. Throws `UpstreamFailure` for numbers that are no tokens. */
export async function withTexts(input: unknown): Promise<unknown> {
  const inputs = inputsOf(input);
  if (!inputs.some(isTokens)) return input;
  const tokenizer = await encoding();
  return inputs.map((one) => (isTokens(one) ? textOf(one, tokenizer) : one));
}

function textOf(tokens: readonly number[], tokenizer: Tiktoken): EmbeddingInput {
  if (tokens.every(isToken)) return tokenizer.decode([...tokens]);
  throw new UpstreamFailure(
    'The input has numbers that are no tokens of cl100k_base, of which the texts for this model would be made: send texts, in LangChain by check_embedding_ctx_length=False',
    { kind: 'invalid_request' },
  );
}

/** The tokens of cl100k_base: https://github.com/openai/tiktoken/blob/main/tiktoken_ext/openai_public.py (2026-11-26). */
const LAST_TOKEN = 100_255;
const SPECIAL_TOKENS: ReadonlySet<number> = new Set([100_257, 100_258, 100_259, 100_260, 100_276]);

function isToken(token: number): boolean {
  return token <= LAST_TOKEN || SPECIAL_TOKENS.has(token);
}

let loaded: Promise<Tiktoken> | undefined;

/** That of all of OpenAI's embedding models, to which clients fall back for others. Its ranks take some 40 MB, so that few load it. */
function encoding(): Promise<Tiktoken> {
  loaded ??= load();
  return loaded;
}

async function load(): Promise<Tiktoken> {
  const { Tiktoken } = await import('js-tiktoken/lite');
  const { default: ranks } = await import('js-tiktoken/ranks/cl100k_base');
  return new Tiktoken(ranks);
}
