/** What a provider counted, and what is estimated in its place. */
import type { Metered } from './price.js';

/** Estimates for counts that a provider leaves out and that do not default to 0. */
export interface EstimatedCounts {
  promptTokens(): number;
  completionTokens(): number;
  images(): number;
  outputImages(): number;
  /** Of so many completion tokens, of which so many are reasoning. */
  imageOutputTokens(completionTokens: number, reasoningTokens: number): number;
  webSearches(): number;
  searchUnits(): number;
}

/** Whether the provider counted both the prompt and the completion, or what it bills in place of them. */
export function isCounted({ promptTokens, completionTokens, searchUnits = 0 }: Partial<Metered>): boolean {
  return (
    searchUnits > 0 || (validCount(promptTokens) !== undefined && validCount(completionTokens) !== undefined)
  );
}

/** A count that is missing or invalid is estimated or 0; a given 0 stays 0. */
export function allCounts(usage: Partial<Metered>, estimated: EstimatedCounts): Metered {
  const completionTokens = validCount(usage.completionTokens) ?? estimated.completionTokens();
  const reasoningTokens = validCount(usage.reasoningTokens) ?? 0;
  return {
    promptTokens: validCount(usage.promptTokens) ?? estimated.promptTokens(),
    cachedTokens: validCount(usage.cachedTokens) ?? 0,
    cacheWriteTokens: validCount(usage.cacheWriteTokens) ?? 0,
    cacheWrite1hTokens: validCount(usage.cacheWrite1hTokens) ?? 0,
    audioTokens: validCount(usage.audioTokens) ?? 0,
    cachedAudioTokens: validCount(usage.cachedAudioTokens) ?? 0,
    imageTokens: validCount(usage.imageTokens) ?? 0,
    completionTokens,
    reasoningTokens,
    completionAudioTokens: validCount(usage.completionAudioTokens) ?? 0,
    imageOutputTokens:
      validCount(usage.imageOutputTokens) ?? estimated.imageOutputTokens(completionTokens, reasoningTokens),
    images: validCount(usage.images) ?? estimated.images(),
    outputImages: validCount(usage.outputImages) ?? estimated.outputImages(),
    webSearches: validCount(usage.webSearches) ?? estimated.webSearches(),
    mediumSearches: validCount(usage.mediumSearches) ?? 0,
    highSearches: validCount(usage.highSearches) ?? 0,
    searchUnits: validCount(usage.searchUnits) ?? estimated.searchUnits(),
  };
}

function validCount(count: number | undefined): number | undefined {
  return count !== undefined && Number.isSafeInteger(count) && count >= 0 ? count : undefined;
}
