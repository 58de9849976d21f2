/** The most that a request can use at an endpoint: what is reserved for it. See `docs/money.md#reservations`. */
import type { NanoUsd } from '../../base/money.js';
import { laneOf, UNSERVED } from '../../catalog/formats.js';
import type { Endpoint, Format } from '../../catalog/types.js';
import { type HostWork, searchesBilled, turnsUnasked } from '../../formats/host-work.js';
import { chargeableCost } from '../../ledger/possible-usage.js';
import { type MaxUsage, maxCostAt } from '../../ledger/price.js';
import type { Attempt } from '../types.js';
import type { RequestSize } from './request-size.js';

/** Completion tokens that a reservation begins with, and grows by, where a stream shows how long its answer gets. */
export const UNBOUNDED_ANSWER_TOKENS = 4096;

/** Prompt tokens to reserve for a prompt that fills the context of an endpoint where that is unknown. */
const MAX_PROMPT_TOKENS = 2_000_000;

/** Completion tokens to reserve for where neither the endpoint's maximum nor its context is known: few models give more. */
const MAX_ANSWER_TOKENS = 131_072;

/**
 * Images to reserve for in each answer, where they have a price: the model decides on their number, and so many are
 * assumed to be Gemini's most: https://docs.cloud.google.com/vertex-ai/generative-ai/docs/models/gemini/2-5-flash-image
 */
const OUTPUT_IMAGES = 10;

/** Who serves the request. */
export type Served = Pick<Attempt, 'endpoint' | 'provider' | 'modelReasoning'>;

/** The list price of the most that the request can use there at this instant. */
export function maxCostOf(size: RequestSize, served: Served, at: number): NanoUsd {
  const usage = maxUsageOf(size, served, completionTokensOf(size, served));
  return chargeableCost(maxCostAt(served.endpoint.pricing, usage, at));
}

/**
 * The most usage with so many completion tokens. A prompt with files counts as filling the endpoint's context: the size in
 * bytes of a compressed document or a video does not bound its tokens, but no provider takes more than its context holds.
 * So does the prompt of each turn that the host takes by itself, where the results of its tools are in it.
 */
export function maxUsageOf(size: RequestSize, { endpoint }: Served, completionTokens: number): MaxUsage {
  const { images, hasAudio, hasFiles, answers, work } = size;
  const turns = furtherTurns(size, endpoint);
  const grows = turns > 0 && (work.length === 0 || work.some(({ growsContext }) => growsContext));
  const context = endpoint.contextLength ?? MAX_PROMPT_TOKENS;
  const text = size.promptTokens + images * moreImageTokens(endpoint);
  const first = hasFiles ? Math.max(text, context) : text;
  const later = grows ? context : Math.min(first + completionTokens, context);
  return {
    promptTokens: first + turns * Math.max(first, later),
    completionTokens,
    images,
    outputImages: OUTPUT_IMAGES * answers,
    hasAudio,
    hasFiles: hasFiles || grows,
    webSearches: searchesOf(size, endpoint) * answers,
  };
}

/** Completion tokens to reserve for at first when the request is served there: of all its answers and turns. */
export function completionTokensOf(size: RequestSize, served: Served): number {
  return answerTokens(size, served) * (size.answers + furtherTurns(size, served.endpoint));
}

/** Whether the provider itself ends the answer within the tokens that are reserved at first. */
export function isAnswerLimited(size: RequestSize, served: Served): boolean {
  return !isExtended(size, served);
}

/** Of one answer in one turn. */
function answerTokens(size: RequestSize, served: Served): number {
  const { maxTokens, own } = size;
  const limit = maxTokens === null ? unlimitedTokens(size, served) : limitedTokens(maxTokens, size, served);
  // Where a budget of thinking reaches the limit, the API lets the answer have as much beside it.
  const inside = own.thinkingInside >= limit ? own.thinkingInside : 0;
  return Math.max(limit, own.maxTokens) + inside + own.thinkingBeside + size.predictedTokens;
}

/** Only what is translated is sent with a limit that the endpoint takes. */
function limitedTokens(maxTokens: number, { format }: RequestSize, { endpoint, provider }: Served): number {
  const isNative = format !== null && laneOf(format, endpoint, provider) === 'native';
  return isNative ? maxTokens : Math.min(maxTokens, endpoint.maxCompletionTokens ?? maxTokens);
}

function unlimitedTokens(size: RequestSize, served: Served): number {
  const { maxCompletionTokens, contextLength } = served.endpoint;
  if (isExtended(size, served)) return UNBOUNDED_ANSWER_TOKENS;
  return maxCompletionTokens ?? contextLength ?? MAX_ANSWER_TOKENS;
}

/**
 * Whether the reservation grows with the answer: that of a stream which shows all that it costs, at an endpoint whose maximum
 * nobody knows.
 */
function isExtended({ isStreamed, maxTokens, hasAudio, work }: RequestSize, served: Served): boolean {
  const { endpoint, modelReasoning } = served;
  if (!isStreamed || maxTokens !== null || endpoint.maxCompletionTokens !== null) return false;
  return !hasAudio && work.length === 0 && modelReasoning === null && !hasHiddenOutput(endpoint);
}

/** Whether answers may have tokens that a stream does not show before its end. */
function hasHiddenOutput({ supportedParameters, pricing: { prices } }: Endpoint): boolean {
  return (
    prices.audio_output !== undefined ||
    prices.image_output !== undefined ||
    prices.image_output_token !== undefined ||
    prices.internal_reasoning !== undefined ||
    supportedParameters.includes('reasoning') ||
    supportedParameters.includes('reasoning_effort')
  );
}

/** Turns of all answers that the host takes by itself after the first. */
function furtherTurns({ work, answers }: RequestSize, { upstreamModelId, formats }: Endpoint): number {
  if (work.length === 0) return answers * turnsUnasked(upstreamModelId);
  const isLooping = CLAUDE.test(upstreamModelId) || formats.some((format) => LOOPS[format]);
  return answers * work.reduce((sum, one) => sum + turnsOf(one, isLooping), 0);
}

const CLAUDE = /claude/i;

/** Whether hosts that speak a format let its models use their tools again and again. */
const LOOPS: Readonly<Record<Format, boolean>> = { ...UNSERVED, chat: false, messages: true };

/** Hosts of chats search before they answer; those of Claude let it search again and again. */
function turnsOf({ type, maxTurns }: HostWork, isLooping: boolean): number {
  return type === 'web_search_options' && !isLooping ? 1 : (maxTurns ?? 1);
}

/** Of one answer. Of work that nobody bounds at least one use is reserved. */
function searchesOf({ work }: RequestSize, { upstreamModelId }: Endpoint): number {
  const unasked = searchesBilled(upstreamModelId);
  const asked = work.reduce((sum, { type, priceKey, maxUses }) => {
    // A model that searches anyway is told only how.
    if (priceKey !== 'web_search' || (unasked > 0 && type === 'web_search_options')) return sum;
    return sum + (maxUses ?? 1);
  }, 0);
  return Math.max(asked, unasked);
}

/** What gpt-4o-mini is assumed to count for an image at most; see https://platform.openai.com/docs/guides/images-vision. */
const DEAR_IMAGES = /gpt-4o-mini/;
const DEAR_IMAGE_TOKENS = 48_169 - 16_384;

/** Tokens of an image beyond those that are estimated for any model. */
function moreImageTokens({ upstreamModelId }: Endpoint): number {
  return DEAR_IMAGES.test(upstreamModelId) ? DEAR_IMAGE_TOKENS : 0;
}
