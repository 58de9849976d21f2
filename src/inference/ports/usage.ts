/**
 * What an answer used, by the provider's counts or an estimate, and the usage block that reports it. See
 * `docs/money.md#usage-in-an-answer`.
 */
import { type NanoUsd, nanoToUsd } from '../../base/money.js';
import { searchesAlways } from '../../catalog/prices/searching-models.js';
import type { Endpoint } from '../../catalog/types.js';
import type { ChatBody, Usage } from '../../formats/chat/types.js';
import { isObject, type JsonObject } from '../../formats/json.js';
import { allCounts, isCounted } from '../../ledger/pricing/counts.js';
import type { UsageBounds } from '../../ledger/pricing/possible-usage.js';
import type { ListPrice, Metered } from '../../ledger/pricing/price.js';
import { imageTokensIn } from '../../routing/estimate/image-tokens.js';
import { UNBOUNDED_ANSWER_TOKENS } from '../../routing/estimate/max-usage.js';
import { CHARACTERS_PER_TOKEN } from '../../routing/estimate/prompt-tokens.js';
import type { UpstreamUsage } from './adapter.js';
import type { CountedBy } from './generation.js';
import type { RequestFacts } from './request-facts.js';
import type { AnswerOutput } from './stream-usage.js';

/** The endpoint that an answer came from. */
interface MeteredAt extends Pick<Endpoint, 'upstreamModelId' | 'pricing'> {
  readonly bounds: UsageBounds;
}

/** Completes the counts: a missing or invalid count is estimated, within the bounds, or 0. A given 0 stays 0. */
export function meter(
  usage: UpstreamUsage,
  facts: Pick<RequestFacts, 'promptTokens' | 'images' | 'searchUnits'>,
  output: Pick<AnswerOutput, 'characters' | 'images'>,
  { bounds, upstreamModelId, pricing }: MeteredAt,
): Metered {
  return allCounts(usage, {
    promptTokens: () => Math.min(facts.promptTokens(), bounds.promptTokens),
    completionTokens: () =>
      Math.min(Math.ceil(output.characters / CHARACTERS_PER_TOKEN), bounds.completionTokens),
    images: () => facts.images(),
    outputImages: () => output.images,
    imageOutputTokens: (...tokens) => imageTokensIn(output, pricing, ...tokens),
    // Its host bills one, and does not count it.
    webSearches: () => (searchesAlways(upstreamModelId) ? 1 : 0),
    searchUnits: () => facts.searchUnits(),
  });
}

/** The counts of an answer so far. Output after the provider's last count is estimated, within the bounds. */
export function usageSoFar({ usage, uncountedCharacters }: AnswerOutput, bounds: UsageBounds): UpstreamUsage {
  if (usage.completionTokens === undefined || uncountedCharacters === 0) return usage;
  const uncountedTokens = Math.ceil(uncountedCharacters / CHARACTERS_PER_TOKEN);
  const completionTokens = Math.min(usage.completionTokens + uncountedTokens, bounds.completionTokens);
  return { ...usage, completionTokens };
}

/** What an attempt may have used when it was cut, beyond what the provider has told. */
export interface CutAnswer {
  /** The tokens that were reserved for it. */
  readonly reserved: Pick<Metered, 'promptTokens' | 'completionTokens'>;
  /** Since when the provider has produced tokens that it does not show, as `performance.now()`; undefined if it shows all. */
  readonly hiddenSince: number | undefined;
  readonly hiddenTokensPerSecond: number;
  /** As `performance.now()`. */
  readonly cutAt: number;
}

/** Whether the provider has counted the whole answer. */
export function isFullyCounted({ usage, uncountedCharacters, isEnded, isLastCount }: AnswerOutput): boolean {
  return (isEnded || isLastCount) && uncountedCharacters === 0 && isCounted(usage);
}

/**
 * The counts of an answer that was cut: what the provider has told, and of the rest no less than it has produced, within
 * what was reserved.
 */
export function usageOfCut(output: AnswerOutput, cut: CutAnswer): UpstreamUsage {
  if (isFullyCounted(output)) return output.usage;
  const { usage, uncountedTokensHigh, countedAt } = output;
  const { reserved, hiddenSince, hiddenTokensPerSecond, cutAt } = cut;
  const told = usage.completionTokens ?? 0;
  const shown = told + uncountedTokensHigh;
  const since = hiddenSince === undefined ? cutAt : Math.max(hiddenSince, countedAt ?? 0);
  const produced = told + Math.ceil(((cutAt - since) / 1000) * hiddenTokensPerSecond);
  const high = Math.min(Math.max(shown, produced), reserved.completionTokens);
  const completionTokens = Math.max(told, high);
  return {
    ...usage,
    promptTokens: usage.promptTokens ?? reserved.promptTokens,
    completionTokens,
    reasoningTokens: (usage.reasoningTokens ?? 0) + Math.max(0, completionTokens - shown),
  };
}

/**
 * Who counted the usage. The provider did if the answer came whole and was counted after its last output; otherwise a
 * part is estimated. A part is also estimated if images have a price and are not counted separately.
 */
export function countedBy(
  { usage, uncountedCharacters }: AnswerOutput,
  isWhole: boolean,
  { imageOutputTokens }: Pick<Metered, 'imageOutputTokens'>,
): CountedBy {
  const isSplit = imageOutputTokens === 0 || usage.imageOutputTokens !== undefined;
  return isWhole && isSplit && uncountedCharacters === 0 && isCounted(usage) ? 'provider' : 'estimate';
}

/** What a request costs, and who pays for it. */
export interface Cost {
  readonly isByok: boolean;
  readonly list: ListPrice;
  /** Charged to credits, including the fee. */
  readonly chargedNanoUsd: NanoUsd;
}

/** The `usage` member of an answer. */
export function usageBlock(metered: Metered, cost: Cost): Usage {
  return {
    prompt_tokens: metered.promptTokens,
    completion_tokens: metered.completionTokens,
    total_tokens: metered.promptTokens + metered.completionTokens,
    prompt_tokens_details: {
      cached_tokens: metered.cachedTokens,
      cache_write_tokens: metered.cacheWriteTokens,
      audio_tokens: metered.audioTokens,
    },
    completion_tokens_details: {
      reasoning_tokens: metered.reasoningTokens,
      audio_tokens: metered.completionAudioTokens,
      ...(metered.imageOutputTokens > 0 && { image_tokens: metered.imageOutputTokens }),
    },
    ...(metered.searchUnits > 0 && { search_units: metered.searchUnits }),
    cost: nanoToUsd(cost.chargedNanoUsd),
    is_byok: cost.isByok,
    cost_details: {
      upstream_inference_cost: cost.isByok ? nanoToUsd(cost.list.totalNanoUsd) : null,
      upstream_inference_prompt_cost: nanoToUsd(cost.list.promptNanoUsd),
      upstream_inference_completions_cost: nanoToUsd(cost.list.completionNanoUsd),
    },
  };
}

/** The `usage` member of an answer that was cached with this one. */
export function cachedUsage(usage: Usage): Usage {
  return {
    ...usage,
    cost: 0,
    is_byok: false,
    cost_details: {
      upstream_inference_cost: null,
      upstream_inference_prompt_cost: 0,
      upstream_inference_completions_cost: 0,
    },
    cached: true,
  };
}

/** A provider's own usage, with the cost of the answer. */
export function withCost(told: unknown, { cost, is_byok, cost_details }: Usage): JsonObject {
  return { ...(isObject(told) && told), cost, is_byok, cost_details };
}

/** The requested maximum of the answer's tokens, else an assumed one. Reasoning efforts are shares of it. */
export function maxAnswerTokens(
  { max_tokens, max_completion_tokens }: Pick<ChatBody, 'max_tokens' | 'max_completion_tokens'>,
  { maxCompletionTokens }: Pick<Endpoint, 'maxCompletionTokens'>,
): number {
  return (
    max_completion_tokens ?? max_tokens ?? Math.min(UNBOUNDED_ANSWER_TOKENS, maxCompletionTokens ?? Infinity)
  );
}
