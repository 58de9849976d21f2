/** How large a request can become, whichever endpoint serves it: what its reservation is computed from. */
import type { Endpoint } from '../../catalog/types.js';
import type { MaxUsage } from '../../ledger/price.js';
import { countMedia, estimatePromptTokens } from './prompt-tokens.js';
import type { ChatBody } from './used-parameters.js';

/** Completion tokens to reserve for where neither the request nor the endpoint sets a maximum. */
export const UNBOUNDED_ANSWER_TOKENS = 4096;

/** Prompt tokens to reserve for a prompt with files where the endpoint's context length is unknown. */
const MAX_PROMPT_TOKENS = 2_000_000;

/** Searches to reserve for where a request allows web search: the model decides on their number. */
const WEB_SEARCHES = 10;

/** Images to reserve for in each answer, where they have a price: the model decides on their number. */
const OUTPUT_IMAGES = 4;

/** More answers than any provider gives to one request. */
const MAX_ANSWERS = 1_000;

/** The max usage of a request without what depends on the endpoint. */
export interface RequestSize extends Omit<MaxUsage, 'completionTokens'> {
  /** The low estimate, so that planning excludes no endpoint that the prompt fits. */
  readonly promptTokensLow: number;
  /** Per answer; null = not given. */
  readonly maxTokens: number | null;
  readonly answers: number;
}

/** Measures a request in the chat format. */
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

/** A provider honours one of the two members and may ignore the other, so the larger one counts. */
function largest(...values: readonly unknown[]): number | null {
  const given = values.filter((value) => typeof value === 'number');
  return given.length === 0 ? null : Math.max(...given);
}

/** `n` is passed on to the provider unchecked, so any value is read as a count here. */
function answersOf(n: unknown): number {
  return typeof n === 'number' ? Math.min(Math.max(1, Math.ceil(n)), MAX_ANSWERS) : 1;
}

/**
 * The usage to reserve for when the endpoint serves the request with at most `completionTokens`. A prompt with files
 * counts as filling the endpoint's context: the size in bytes of a compressed document or a video does not bound its
 * tokens, but no provider takes more than its context holds.
 */
export function maxUsageOf(
  { promptTokens, images, outputImages, hasAudio, hasFiles, webSearches }: RequestSize,
  { contextLength }: Pick<Endpoint, 'contextLength'>,
  completionTokens: number,
): MaxUsage {
  const filled = hasFiles ? (contextLength ?? MAX_PROMPT_TOKENS) : 0;
  return {
    promptTokens: Math.max(promptTokens, filled),
    completionTokens,
    images,
    outputImages,
    hasAudio,
    hasFiles,
    webSearches,
  };
}

/** Completion tokens to reserve for when the endpoint serves the request. */
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
