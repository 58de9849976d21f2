/** What an answer used: the provider's counts where it gives them, estimates where it does not (interface section 5). */
import { type NanoUsd, nanoToUsd } from '../../base/money.js';
import type { Endpoint } from '../../catalog/types.js';
import type { ChatBody, Usage } from '../../formats/chat/types.js';
import { allCounts, type ListPrice, type Metered } from '../../ledger/price.js';
import {
  CHARACTERS_PER_TOKEN,
  countMedia,
  estimatePromptTokens,
} from '../../routing/estimate/prompt-tokens.js';
import { UNBOUNDED_ANSWER_TOKENS } from '../../routing/estimate/request-size.js';
import type { UpstreamUsage } from '../attempts/adapter.js';
import type { Produced } from '../stream/stream-usage.js';

/** All counts. A count that is missing or no count at all is estimated or 0; a stated 0 stays 0. */
export function meter(
  usage: UpstreamUsage,
  body: ChatBody,
  { characters, images }: Pick<Produced, 'characters' | 'images'>,
): Metered {
  return allCounts(usage, {
    promptTokens: () => estimatePromptTokens(body).likely,
    completionTokens: () => Math.ceil(characters / CHARACTERS_PER_TOKEN),
    images: () => countMedia(body).images,
    outputImages: () => images,
  });
}

/** The counts of an answer that broke off: what came after the provider's last count is estimated. */
export function usageSoFar({ usage, uncountedCharacters }: Produced): UpstreamUsage {
  if (usage.completionTokens === undefined) return usage;
  const further = Math.ceil(uncountedCharacters / CHARACTERS_PER_TOKEN);
  return { ...usage, completionTokens: usage.completionTokens + further };
}

/** The usage block of an answer. */
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

/** The most tokens that the answer is reckoned to have, of which efforts take their share. */
export function answerTokens(
  { max_tokens, max_completion_tokens }: Pick<ChatBody, 'max_tokens' | 'max_completion_tokens'>,
  { maxCompletionTokens }: Pick<Endpoint, 'maxCompletionTokens'>,
): number {
  return (
    max_completion_tokens ?? max_tokens ?? Math.min(UNBOUNDED_ANSWER_TOKENS, maxCompletionTokens ?? Infinity)
  );
}

/** What a request costs, and whom. */
export interface Cost {
  readonly isByok: boolean;
  /** At list price, whoever pays. */
  readonly list: ListPrice;
  /** Charged to credits, the fee among it. */
  readonly chargedNanoUsd: NanoUsd;
}
