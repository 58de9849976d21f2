/** Requests that are longer than the context of every model that is left, in words on which agents compact their history. */
import { type Metadata, Problem } from '../base/problem.js';

/** null = not known. */
export interface ContextOverflow {
  /** Of the request. */
  readonly tokens: number | null;
  /** Tokens that the model's context holds. */
  readonly limit: number | null;
}

/** Of several endpoints, the one with the largest context: whoever fits into that is served. */
export function mildestOverflow(overflows: readonly ContextOverflow[]): ContextOverflow | undefined {
  return [...overflows].sort((a, b) => (b.limit ?? 0) - (a.limit ?? 0))[0];
}

/** The words are OpenAI's, whose clients look for them. */
export function contextLengthExceeded(
  { tokens, limit }: ContextOverflow,
  { metadata = {}, cause }: { readonly metadata?: Metadata; readonly cause?: unknown } = {},
): Problem {
  const message =
    tokens === null || limit === null
      ? "This model's maximum context length is exceeded by your messages: send fewer or shorter ones"
      : `This model's maximum context length is ${limit} tokens. However, your messages resulted in ${tokens} tokens.`;
  return new Problem('context_length_exceeded', message, {
    metadata: { ...metadata, prompt_tokens: tokens, context_length: limit },
    cause,
  });
}
