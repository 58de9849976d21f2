/** What an answer used: the provider's counts where it gives them, estimates where it does not (interface section 5). */
import { nanoToUsd } from '../base/money.js';
import { CHARACTERS_PER_TOKEN, estimatePromptTokens } from '../routing/prompt-tokens.js';
import type { Metered } from '../spend/price.js';
import type { UpstreamUsage } from './adapter.js';
import type { Cost } from './cost.js';
import type { ChatBody, Usage } from './dialect.js';
import { countParts } from './parts.js';

/** All counts. A count that is missing or no count at all is estimated or 0; a stated 0 stays 0. */
export function meter(usage: UpstreamUsage, body: ChatBody, producedCharacters: number): Metered {
  return {
    promptTokens: stated(usage.promptTokens) ?? estimatePromptTokens(body).likely,
    cachedTokens: stated(usage.cachedTokens) ?? 0,
    cacheWriteTokens: stated(usage.cacheWriteTokens) ?? 0,
    cacheWrite1hTokens: stated(usage.cacheWrite1hTokens) ?? 0,
    audioTokens: stated(usage.audioTokens) ?? 0,
    cachedAudioTokens: stated(usage.cachedAudioTokens) ?? 0,
    imageTokens: stated(usage.imageTokens) ?? 0,
    completionTokens: stated(usage.completionTokens) ?? Math.ceil(producedCharacters / CHARACTERS_PER_TOKEN),
    reasoningTokens: stated(usage.reasoningTokens) ?? 0,
    completionAudioTokens: stated(usage.completionAudioTokens) ?? 0,
    images: stated(usage.images) ?? countParts(body).images,
    webSearches: stated(usage.webSearches) ?? 0,
  };
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

function stated(count: number | undefined): number | undefined {
  return count !== undefined && Number.isSafeInteger(count) && count >= 0 ? count : undefined;
}
