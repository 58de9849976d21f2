import type { Metered } from './price.js';

/** Estimates for counts that a provider leaves out and that do not default to 0. */
export interface EstimatedCounts {
  promptTokens(): number;
  completionTokens(): number;
  images(): number;
  outputImages(): number;
}

/** A count that is missing or invalid is estimated or 0; a given 0 stays 0. */
export function allCounts(usage: Partial<Metered>, estimated: EstimatedCounts): Metered {
  return {
    promptTokens: validCount(usage.promptTokens) ?? estimated.promptTokens(),
    cachedTokens: validCount(usage.cachedTokens) ?? 0,
    cacheWriteTokens: validCount(usage.cacheWriteTokens) ?? 0,
    cacheWrite1hTokens: validCount(usage.cacheWrite1hTokens) ?? 0,
    audioTokens: validCount(usage.audioTokens) ?? 0,
    cachedAudioTokens: validCount(usage.cachedAudioTokens) ?? 0,
    imageTokens: validCount(usage.imageTokens) ?? 0,
    completionTokens: validCount(usage.completionTokens) ?? estimated.completionTokens(),
    reasoningTokens: validCount(usage.reasoningTokens) ?? 0,
    completionAudioTokens: validCount(usage.completionAudioTokens) ?? 0,
    images: validCount(usage.images) ?? estimated.images(),
    outputImages: validCount(usage.outputImages) ?? estimated.outputImages(),
    webSearches: validCount(usage.webSearches) ?? 0,
  };
}

function validCount(count: number | undefined): number | undefined {
  return count !== undefined && Number.isSafeInteger(count) && count >= 0 ? count : undefined;
}
