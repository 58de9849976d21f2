/**
 * What an answer used, as the provider counts it or as an estimate where it does not, and the usage block that reports
 * it. See `docs/money.md#usage-in-an-answer`.
 */
import { type NanoUsd, nanoToUsd } from '../../base/money.js';
import type { Endpoint } from '../../catalog/types.js';
import type { ChatBody, Usage } from '../../formats/chat/types.js';
import type { UsageBounds } from '../../ledger/possible-usage.js';
import { allCounts, isCounted, type ListPrice, type Metered } from '../../ledger/price.js';
import { UNBOUNDED_ANSWER_TOKENS } from '../../routing/estimate/max-usage.js';
import { CHARACTERS_PER_TOKEN } from '../../routing/estimate/prompt-tokens.js';
import type { UpstreamUsage } from './adapter.js';
import type { CountedBy } from './generation.js';
import type { RequestFacts } from './request-facts.js';
import type { AnswerOutput } from './stream-usage.js';

/** Completes the counts: a missing or invalid one is estimated, within the bounds, or 0; a given 0 stays 0. */
export function meter(
  usage: UpstreamUsage,
  facts: Pick<RequestFacts, 'promptTokens' | 'images'>,
  { characters, images }: Pick<AnswerOutput, 'characters' | 'images'>,
  bounds: UsageBounds,
): Metered {
  return allCounts(usage, {
    promptTokens: () => Math.min(facts.promptTokens(), bounds.promptTokens),
    completionTokens: () => Math.min(Math.ceil(characters / CHARACTERS_PER_TOKEN), bounds.completionTokens),
    images: () => facts.images(),
    outputImages: () => images,
  });
}

/** The counts of what has come of an answer: output after the provider's last count is estimated, within the bounds. */
export function usageSoFar({ usage, uncountedCharacters }: AnswerOutput, bounds: UsageBounds): UpstreamUsage {
  if (usage.completionTokens === undefined || uncountedCharacters === 0) return usage;
  const uncountedTokens = Math.ceil(uncountedCharacters / CHARACTERS_PER_TOKEN);
  const completionTokens = Math.min(usage.completionTokens + uncountedTokens, bounds.completionTokens);
  return { ...usage, completionTokens };
}

/** Of an answer that came whole, and was counted after its last output, the provider's counts hold; else a part is estimated. */
export function countedBy({ usage, uncountedCharacters }: AnswerOutput, isWhole: boolean): CountedBy {
  return isWhole && uncountedCharacters === 0 && isCounted(usage) ? 'provider' : 'estimate';
}

/** What an answer used, and what that costs at list price. */
export interface Measured {
  readonly metered: Metered;
  readonly list: ListPrice;
}

/** What a request costs, and how it is paid. */
export interface Cost {
  readonly isByok: boolean;
  readonly list: ListPrice;
  /** Charged to credits, the fee included. */
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
    },
    cost: nanoToUsd(cost.chargedNanoUsd),
    is_byok: cost.isByok,
    cost_details: {
      upstream_inference_cost: cost.isByok ? nanoToUsd(cost.list.totalNanoUsd) : null,
      upstream_inference_prompt_cost: nanoToUsd(cost.list.promptNanoUsd),
      upstream_inference_completions_cost: nanoToUsd(cost.list.completionNanoUsd),
    },
  };
}

/** The maximum of the answer's tokens, as requested or else assumed. Efforts of reasoning take their share of it. */
export function maxAnswerTokens(
  { max_tokens, max_completion_tokens }: Pick<ChatBody, 'max_tokens' | 'max_completion_tokens'>,
  { maxCompletionTokens }: Pick<Endpoint, 'maxCompletionTokens'>,
): number {
  return (
    max_completion_tokens ?? max_tokens ?? Math.min(UNBOUNDED_ANSWER_TOKENS, maxCompletionTokens ?? Infinity)
  );
}
