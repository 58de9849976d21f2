/** How large a request can become, whichever endpoint serves it, for what is kept back for it (interface section 5). */
import type { Endpoint } from '../catalog/types.js';
import type { Extent } from '../spend/worst-case.js';
import { countParts } from './parts.js';
import { estimatePromptTokens } from './prompt-tokens.js';
import type { ChatBody } from './used-parameters.js';

/** What an answer is reckoned to have at most where the request does not bound it (interface section 5). */
export const UNBOUNDED_ANSWER_TOKENS = 4096;

/** Searches that are kept back for where a request allows web searches: their number is the model's. */
const WEB_SEARCHES = 10;

/** An extent but for its completion, which depends on the endpoint. */
export interface RequestSize extends Omit<Extent, 'completionTokens'> {
  /** The prompt counted low, for what must not exclude an endpoint that it fits. */
  readonly promptTokensLow: number;
  /** Per answer; null = not said. */
  readonly maxTokens: number | null;
  readonly answers: number;
}

/** The size of a request in our dialect, its prompt counted high and low at once. */
export function requestSize(body: ChatBody): RequestSize {
  const { images, audio } = countParts(body);
  const { high, low } = estimatePromptTokens(body);
  const maxTokens = body.max_completion_tokens ?? body.max_tokens ?? null;
  const { n } = body;
  return {
    promptTokens: high,
    promptTokensLow: low,
    images,
    hasAudio: audio > 0 || body.audio !== undefined,
    webSearches: body.web_search_options === undefined ? 0 : WEB_SEARCHES,
    maxTokens: typeof maxTokens === 'number' ? maxTokens : null,
    answers: typeof n === 'number' ? Math.max(1, n) : 1,
  };
}

/** The extent with so many completion tokens. One literal: this is done for each attempt of each request. */
export function extentOf(
  { promptTokens, images, hasAudio, webSearches }: RequestSize,
  completionTokens: number,
): Extent {
  return { promptTokens, completionTokens, images, hasAudio, webSearches };
}

/** Completion tokens to keep back when the endpoint serves it. */
export function completionTokensOf(
  { maxTokens, answers }: RequestSize,
  { maxCompletionTokens }: Endpoint,
): number {
  const perAnswer = Math.min(
    maxTokens ?? UNBOUNDED_ANSWER_TOKENS,
    maxCompletionTokens ?? Number.POSITIVE_INFINITY,
  );
  return perAnswer * answers;
}
