/** How large a request can become, whichever endpoint serves it, for what is kept back for it (interface section 5). */
import type { Endpoint } from '../../catalog/types.js';
import type { MaxUsage } from '../../ledger/max-cost.js';
import { countMedia } from './media-count.js';
import { estimatePromptTokens } from './prompt-tokens.js';
import type { ChatBody } from './used-parameters.js';

/** What an answer is reckoned to have at most where the request does not bound it (interface section 5). */
export const UNBOUNDED_ANSWER_TOKENS = 4096;

/** What a prompt with files is reckoned to have where the endpoint's context is not known: hardly any holds more. */
const MAX_PROMPT_TOKENS = 2_000_000;

/** Searches that are kept back for where a request allows web searches: their number is the model's. */
const WEB_SEARCHES = 10;

/** Images that are kept back for in each answer, where they have a price: their number is the model's. */
const OUTPUT_IMAGES = 4;

/** More answers than any provider gives to one request. */
const MAX_ANSWERS = 1_000;

/** An extent but for what depends on the endpoint. */
export interface RequestSize extends Omit<MaxUsage, 'completionTokens'> {
  /** The prompt counted low, for what must not exclude an endpoint that it fits. */
  readonly promptTokensLow: number;
  /** Per answer; null = not said. */
  readonly maxTokens: number | null;
  readonly answers: number;
}

/** The size of a request in our dialect, its prompt counted high and low at once. */
export function requestSize(body: ChatBody): RequestSize {
  const { images, audio, files } = countMedia(body);
  const answers = answersOf(body.n);
  const { high, low } = estimatePromptTokens(body);
  return {
    promptTokens: high,
    promptTokensLow: low,
    images,
    outputImages: OUTPUT_IMAGES * answers,
    hasAudio: audio > 0 || body.audio !== undefined,
    hasFiles: files > 0,
    webSearches: body.web_search_options === undefined ? 0 : WEB_SEARCHES,
    maxTokens: largest(body.max_tokens, body.max_completion_tokens),
    answers,
  };
}

/** Each provider keeps to one of two bounds, and it may not know the other. */
function largest(...bounds: readonly unknown[]): number | null {
  const stated = bounds.filter((bound) => typeof bound === 'number');
  return stated.length === 0 ? null : Math.max(...stated);
}

/** `n` goes on to the provider as it is: whatever it says is a count here. */
function answersOf(n: unknown): number {
  return typeof n === 'number' ? Math.min(Math.max(1, Math.ceil(n)), MAX_ANSWERS) : 1;
}

/**
 * The extent to keep back for when the endpoint serves it and answers with so many tokens. A prompt with files counts
 * as filling the endpoint's context: no number of bytes bounds the tokens of a compressed document or a video, still
 * less of one behind a link, but no provider takes more than its context holds.
 */
export function maxUsageOf(
  { promptTokens, images, outputImages, hasAudio, hasFiles, webSearches }: RequestSize,
  { contextLength }: Pick<Endpoint, 'contextLength'>,
  completionTokens: number,
): MaxUsage {
  const filled = hasFiles ? (contextLength ?? MAX_PROMPT_TOKENS) : 0;
  const filledTokens = Math.max(promptTokens, filled);
  return {
    promptTokens: filledTokens,
    ...{ completionTokens, images, outputImages, hasAudio, hasFiles, webSearches },
  };
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
