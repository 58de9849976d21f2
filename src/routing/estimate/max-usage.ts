/**
 * Computes the most that a request can use at an endpoint, which is what is reserved. See `docs/money.md#reservations`.
 */
import type { NanoUsd } from '../../base/money.js';
import { laneOf } from '../../catalog/formats.js';
import type { Endpoint, Format } from '../../catalog/types.js';
import { type HostWork, searchesBilled, turnsUnasked } from '../../formats/host-work.js';
import { chargeableCost } from '../../ledger/pricing/possible-usage.js';
import { type MaxUsage, maxCostAt } from '../../ledger/pricing/price.js';
import { AS_BATCH } from '../../ledger/pricing/rates.js';
import type { Attempt } from '../types.js';
import { billableModes } from './billable-modes.js';
import { moreImageTokens } from './image-families.js';
import type { RequestSize } from './request-size.js';
import { workAt } from './work-at.js';

/** Completion tokens that a reservation starts with, and grows by, if a stream shows how long its answer gets. */
export const UNBOUNDED_ANSWER_TOKENS = 4096;

/** Prompt tokens to reserve for a prompt that fills an endpoint's context of unknown length. */
const MAX_PROMPT_TOKENS = 2_000_000;

/** Completion tokens to reserve if neither the endpoint's maximum nor its context is known. Few models write more. */
const MAX_ANSWER_TOKENS = 131_072;

/**
 * Images to reserve per answer, if they have a price. The model decides how many it makes; Gemini's maximum is assumed:
 * https://docs.cloud.google.com/vertex-ai/generative-ai/docs/models/gemini/2-5-flash-image
 */
const OUTPUT_IMAGES = 10;

/** The endpoint that serves the request. */
export type Served = Pick<Attempt, 'endpoint' | 'provider' | 'modelReasoning'> & {
  /** null on shared capacity; missing for any key. */
  readonly key?: Attempt['key'];
};

/** The list price of the most that the request can use there, at this instant. */
export function maxCostOf(size: RequestSize, served: Served, at: number): NanoUsd {
  return maxCostWith(size, served, at, completionTokensOf(size, served));
}

/** As `maxCostOf`, in a batch. */
export function maxBatchCostOf(size: RequestSize, served: Served, at: number): NanoUsd {
  const usage = maxUsageOf(size, served, completionTokensOf(size, served));
  return chargeableCost(maxCostAt(served.endpoint.pricing, usage, at, IN_BATCH));
}

const IN_BATCH = [AS_BATCH];

/** As `maxCostOf`, with this many completion tokens. */
export function maxCostWith(
  size: RequestSize,
  served: Served,
  at: number,
  completionTokens: number,
): NanoUsd {
  const usage = maxUsageOf(size, served, completionTokens);
  return chargeableCost(maxCostAt(served.endpoint.pricing, usage, at, billableModes(size, served)));
}

/**
 * The most usage with this many completion tokens. A prompt with files is assumed to fill the endpoint's context: the
 * bytes of a compressed document or a video do not bound its tokens, but no provider accepts more than its context. The
 * same goes for the prompt of each turn that the host takes on its own, if it contains results of tools.
 */
export function maxUsageOf(size: RequestSize, served: Served, completionTokens: number): MaxUsage {
  const { endpoint } = served;
  const { images, hasAudio, hasFiles, answers } = size;
  const work = workAt(size, served);
  const turns = furtherTurns(work, answers, endpoint);
  const grows = turns > 0 && (work.length === 0 || work.some(({ growsContext }) => growsContext));
  const context = endpoint.contextLength ?? MAX_PROMPT_TOKENS;
  const text = promptTokensOf(size, endpoint);
  const first = size.fillsContext ? Math.max(text, context) : text;
  const later = grows ? context : Math.min(first + completionTokens, context);
  return {
    promptTokens: first + turns * Math.max(first, later),
    completionTokens,
    images,
    outputImages: OUTPUT_IMAGES * answers,
    hasAudio,
    hasFiles: hasFiles || grows,
    // Other hosts may write to caches that nobody asked for.
    cacheWrites: CLAUDE.test(endpoint.upstreamModelId) ? size.cacheWrites() : 'hour',
    webSearches: searchesOf(work, endpoint) * answers,
    searchUnits: size.searchUnits,
  };
}

/**
 * The prompt of the first turn by its own bytes, within the endpoint's context, where there are several each. A document counts by its size, not as one
 * that fills the context.
 */
export function promptTokensOf(size: RequestSize, endpoint: Endpoint): number {
  const tokens = promptTokensAt(size, endpoint);
  const { contextLength } = endpoint;
  return contextLength === null ? tokens : Math.min(tokens, contextLength * size.prompts);
}

/**
 * The high estimate of the prompt with its images as this endpoint's model counts them. Where the request has two forms
 * whose images differ, what is less for the images of both.
 */
export function promptTokensAt({ promptTokens, promptImages }: RequestSize, endpoint: Endpoint): number {
  if (promptImages.length === 0) return promptTokens;
  return promptTokens + Math.max(...promptImages.map((images) => moreImageTokens(images, endpoint)));
}

/** Completion tokens to reserve at first if the request is served there, for all of its answers and turns. */
export function completionTokensOf(size: RequestSize, served: Served): number {
  const turns = furtherTurns(workAt(size, served), size.answers, served.endpoint);
  return answerTokens(size, served) * (size.answers + turns);
}

/** Whether the provider itself ends the answer within the tokens that are reserved at first. */
export function isAnswerLimited(size: RequestSize, served: Served): boolean {
  return !isExtended(size, served);
}

/** Tokens of one answer in one turn. */
function answerTokens(size: RequestSize, served: Served): number {
  const { maxTokens, own } = size;
  const limit = maxTokens === null ? unlimitedTokens(size, served) : limitedTokens(maxTokens, size, served);
  // If the thinking budget reaches the limit, the API allows the same number of tokens for the answer.
  const inside = own.thinkingInside >= limit ? own.thinkingInside : 0;
  return Math.max(limit, own.maxTokens) + inside + own.thinkingBeside + size.predictedTokens;
}

/** Only translated requests are sent with a limit that the endpoint accepts. */
function limitedTokens(maxTokens: number, { format }: RequestSize, { endpoint, provider }: Served): number {
  const isNative = format !== null && laneOf(format, endpoint, provider) === 'native';
  const most = endpoint.contextLength ?? maxTokens;
  return Math.min(maxTokens, isNative ? most : (endpoint.maxCompletionTokens ?? most));
}

function unlimitedTokens(size: RequestSize, served: Served): number {
  const { maxCompletionTokens, contextLength } = served.endpoint;
  if (isExtended(size, served)) return UNBOUNDED_ANSWER_TOKENS;
  return maxCompletionTokens ?? contextLength ?? MAX_ANSWER_TOKENS;
}

/**
 * Whether the reservation grows with the answer: the request is streamed, the stream shows everything that it costs,
 * and the endpoint's maximum is unknown.
 */
function isExtended(size: RequestSize, served: Served): boolean {
  const { isStreamed, maxTokens, hasAudio } = size;
  if (!isStreamed || maxTokens !== null || served.endpoint.maxCompletionTokens !== null) return false;
  return !hasAudio && workAt(size, served).length === 0 && !mayHideTokens(served);
}

/** Whether an answer may have tokens that a stream does not show before its end, reasoning among them. */
export function mayHideTokens({
  endpoint,
  modelReasoning,
}: Pick<Served, 'endpoint' | 'modelReasoning'>): boolean {
  return modelReasoning !== null || hasHiddenOutput(endpoint);
}

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

/** Turns that the host takes on its own after the first, over all answers. */
function furtherTurns(
  work: readonly HostWork[],
  answers: number,
  { upstreamModelId, formats }: Endpoint,
): number {
  if (work.length === 0) return answers * turnsUnasked(upstreamModelId);
  const isLooping = CLAUDE.test(upstreamModelId) || formats.some((format) => LOOPS[format]);
  return answers * work.reduce((sum, one) => sum + turnsOf(one, isLooping), 0);
}

const CLAUDE = /claude/i;

/** Whether hosts that speak a format let its models use their tools again and again. */
const LOOPS: Readonly<Record<Format, boolean>> = {
  chat: false,
  messages: true,
  responses: true,
  completions: false,
  embeddings: false,
  rerank: false,
};

/** Hosts of chats search once, before the answer. Hosts of Claude let it search repeatedly. */
function turnsOf({ type, maxTurns }: HostWork, isLooping: boolean): number {
  return type === 'web_search_options' && !isLooping ? 1 : (maxTurns ?? 1);
}

/** Searches to reserve per answer. At least one is reserved if nothing limits them. */
function searchesOf(work: readonly HostWork[], { upstreamModelId }: Endpoint): number {
  const unasked = searchesBilled(upstreamModelId);
  const asked = work.reduce((sum, { type, priceKey, maxUses }) => {
    // For a model that searches anyway the options only say how.
    if (priceKey !== 'web_search' || (unasked > 0 && type === 'web_search_options')) return sum;
    return sum + (maxUses ?? 1);
  }, 0);
  return Math.max(asked, unasked);
}
