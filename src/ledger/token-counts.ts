import type { Metered } from './price.js';

/** What stands for counts that a provider leaves out and that are not simply 0. */
export interface EstimatedCounts {
  promptTokens(): number;
  completionTokens(): number;
  images(): number;
  outputImages(): number;
}

/** All counts. A count that is missing or no count at all is estimated or 0; a stated 0 stays 0 (interface section 5). */
export function allCounts(usage: Partial<Metered>, estimated: EstimatedCounts): Metered {
  return {
    promptTokens: stated(usage.promptTokens) ?? estimated.promptTokens(),
    cachedTokens: stated(usage.cachedTokens) ?? 0,
    cacheWriteTokens: stated(usage.cacheWriteTokens) ?? 0,
    cacheWrite1hTokens: stated(usage.cacheWrite1hTokens) ?? 0,
    audioTokens: stated(usage.audioTokens) ?? 0,
    cachedAudioTokens: stated(usage.cachedAudioTokens) ?? 0,
    imageTokens: stated(usage.imageTokens) ?? 0,
    completionTokens: stated(usage.completionTokens) ?? estimated.completionTokens(),
    reasoningTokens: stated(usage.reasoningTokens) ?? 0,
    completionAudioTokens: stated(usage.completionAudioTokens) ?? 0,
    images: stated(usage.images) ?? estimated.images(),
    outputImages: stated(usage.outputImages) ?? estimated.outputImages(),
    webSearches: stated(usage.webSearches) ?? 0,
  };
}

function stated(count: number | undefined): number | undefined {
  return count !== undefined && Number.isSafeInteger(count) && count >= 0 ? count : undefined;
}
