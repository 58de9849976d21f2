/** What was metered of a request, as its record keeps it: general counts in columns, the rest in a text where not 0. */
import type { Metered } from '../ledger/pricing/price.js';

/** The counts that every record has. */
export type RecordedCounts = Pick<
  Metered,
  'promptTokens' | 'completionTokens' | 'reasoningTokens' | 'cachedTokens'
>;

type OtherCount = Exclude<keyof Metered, keyof RecordedCounts>;

/** What they are called in the text. */
const NAMES = {
  cacheWriteTokens: 'cache_write',
  cacheWrite1hTokens: 'cache_write_1h',
  audioTokens: 'audio',
  cachedAudioTokens: 'cached_audio',
  imageTokens: 'image',
  completionAudioTokens: 'audio_output',
  imageOutputTokens: 'image_output',
  images: 'images',
  outputImages: 'output_images',
  webSearches: 'searches',
  mediumSearches: 'searches_medium',
  highSearches: 'searches_high',
  searchUnits: 'search_units',
} as const satisfies Record<OtherCount, string>;

const OTHER_COUNTS = Object.keys(NAMES) as readonly OtherCount[];

/** A JSON text; null where all of them are 0, as those of most requests. */
export function writeCounts(metered: Metered): string | null {
  let counts: Record<string, number> | null = null;
  for (const count of OTHER_COUNTS) {
    if (metered[count] === 0) continue;
    counts ??= {};
    counts[NAMES[count]] = metered[count];
  }
  return counts === null ? null : JSON.stringify(counts);
}

/** `json`: a text of `writeCounts`. */
export function readCounts(recorded: RecordedCounts, json: string | null): Metered {
  const counts: Readonly<Record<string, number>> = json === null ? {} : JSON.parse(json);
  const count = (name: OtherCount) => counts[NAMES[name]] ?? 0;
  return {
    promptTokens: recorded.promptTokens,
    completionTokens: recorded.completionTokens,
    reasoningTokens: recorded.reasoningTokens,
    cachedTokens: recorded.cachedTokens,
    cacheWriteTokens: count('cacheWriteTokens'),
    cacheWrite1hTokens: count('cacheWrite1hTokens'),
    audioTokens: count('audioTokens'),
    cachedAudioTokens: count('cachedAudioTokens'),
    imageTokens: count('imageTokens'),
    completionAudioTokens: count('completionAudioTokens'),
    imageOutputTokens: count('imageOutputTokens'),
    images: count('images'),
    outputImages: count('outputImages'),
    webSearches: count('webSearches'),
    mediumSearches: count('mediumSearches'),
    highSearches: count('highSearches'),
    searchUnits: count('searchUnits'),
  };
}
