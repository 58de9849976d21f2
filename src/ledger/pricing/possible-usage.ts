/**
 * What a provider may say that an answer used. More is impossible, so that nothing it says of that answer is believed:
 * `docs/money.md#counts-that-are-not-believed`.
 */
import type { NanoUsd } from '../../base/money.js';
import type { Endpoint } from '../../catalog/types.js';
import type { ListPrice, Metered } from './price.js';

/** Tokens of a prompt or an answer where the catalogue knows no maximum: as many as the longest context of any model. */
const MAX_TOKENS = 10_000_000;

/** Searches, images and other pieces of one answer: more than any provider sells at once. */
const MAX_PIECES = 10_000;

/** 100,000 USD. No request reserves or is charged more, so that 90,000 of them can be summed in 63 bits. */
export const MAX_COST_NANO_USD: NanoUsd = 100_000_000_000_000n;

/** The most that an answer may have used. */
export interface UsageBounds {
  readonly promptTokens: number;
  readonly completionTokens: number;
}

/** How often an answer may be begun for one request. */
export interface AnswerCount {
  /** Prompts that are answered each by itself. */
  readonly prompts: number;
  /** Choices to one prompt. */
  readonly answers: number;
  /** Turns of each answer, each with an answer; those after the first have prompts of their own. */
  readonly turns: number;
}

/** What a request can use at most, by the endpoint's context and its longest answer. */
export function usageBounds(
  { contextLength, maxCompletionTokens }: Pick<Endpoint, 'contextLength' | 'maxCompletionTokens'>,
  { prompts, answers, turns }: AnswerCount,
): UsageBounds {
  const context = contextLength ?? MAX_TOKENS;
  return {
    promptTokens: context * (prompts + answers * (turns - 1)),
    completionTokens: (maxCompletionTokens ?? context) * answers * turns,
  };
}

/** Where nothing is known of what answered. */
export const UNKNOWN_BOUNDS: UsageBounds = { promptTokens: MAX_TOKENS, completionTokens: MAX_TOKENS };

type Bound = keyof UsageBounds | 'pieces';

const BOUNDS: Readonly<Record<keyof Metered, Bound>> = {
  promptTokens: 'promptTokens',
  cachedTokens: 'promptTokens',
  cacheWriteTokens: 'promptTokens',
  cacheWrite1hTokens: 'promptTokens',
  audioTokens: 'promptTokens',
  cachedAudioTokens: 'promptTokens',
  imageTokens: 'promptTokens',
  completionTokens: 'completionTokens',
  reasoningTokens: 'completionTokens',
  completionAudioTokens: 'completionTokens',
  imageOutputTokens: 'completionTokens',
  images: 'pieces',
  outputImages: 'pieces',
  webSearches: 'pieces',
  mediumSearches: 'pieces',
  highSearches: 'pieces',
  searchUnits: 'pieces',
};

const COUNTS = Object.entries(BOUNDS) as readonly (readonly [keyof Metered, Bound])[];

/** Whether every count that is given is an integer of at least 0 and within its bound. */
export function isPossible(usage: Partial<Metered>, bounds: UsageBounds): boolean {
  return COUNTS.every(([count, bound]) => {
    const value = usage[count];
    if (value === undefined) return true;
    return (
      Number.isInteger(value) && value >= 0 && value <= (bound === 'pieces' ? MAX_PIECES : bounds[bound])
    );
  });
}

/** The part of a cost that is reserved or charged. */
export function chargeableCost(cost: NanoUsd): NanoUsd {
  return cost < MAX_COST_NANO_USD ? cost : MAX_COST_NANO_USD;
}

/** The part of a list price that is charged, and shown. */
export function chargeablePrice({ totalNanoUsd, promptNanoUsd, completionNanoUsd }: ListPrice): ListPrice {
  return {
    totalNanoUsd: chargeableCost(totalNanoUsd),
    promptNanoUsd: chargeableCost(promptNanoUsd),
    completionNanoUsd: chargeableCost(completionNanoUsd),
  };
}
