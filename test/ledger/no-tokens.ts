import type { Metered } from '../../src/ledger/pricing/price.js';

export const NO_TOKENS: Metered = {
  promptTokens: 0,
  cachedTokens: 0,
  cacheWriteTokens: 0,
  cacheWrite1hTokens: 0,
  audioTokens: 0,
  cachedAudioTokens: 0,
  imageTokens: 0,
  completionTokens: 0,
  reasoningTokens: 0,
  completionAudioTokens: 0,
  imageOutputTokens: 0,
  images: 0,
  outputImages: 0,
  webSearches: 0,
  mediumSearches: 0,
  highSearches: 0,
  searchUnits: 0,
};
