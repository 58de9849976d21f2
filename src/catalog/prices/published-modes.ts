/** Modes whose price is a rule of the maker's: `docs/catalog.md#prices-that-lists-lack`, with their sources. */
import type { ModeWords } from '../modes.js';
import type { PriceMode } from '../types.js';

interface PublishedMode {
  readonly provider: string;
  /** Of ids in the catalogue. */
  readonly models: RegExp;
  readonly mode: PriceMode;
}

/** In the order in which they apply. */
const PUBLISHED: readonly PublishedMode[] = [
  inMode('anthropic', /^anthropic\/claude-opus-(?:4\.8|5|5\.5)$/, { speed: 'fast' }, '2'),
  inMode(
    'anthropic',
    /^anthropic\/claude-(?:(?:opus|sonnet)-4\.[6-9]|[a-z]+-[5-9])/,
    { inference_geo: 'us' },
    '1.1',
  ),
  inMode('openai', /^openai\/(?:gpt-5(?!.*-(?:chat|codex))|o3$|o4-mini$)/, { service_tier: 'flex' }, '0.5'),
  inMode('groq', /./, { service_tier: 'flex' }, null),
];

function inMode(
  provider: string,
  models: RegExp,
  words: ModeWords,
  multiplier: string | null,
): PublishedMode {
  return { provider, models, mode: { words, isBatch: false, minPromptTokens: null, multiplier, prices: {} } };
}

/** The list's modes, then those published of which it has none with any of their words. */
export function withPublishedModes(
  modelId: string,
  provider: string,
  listed: readonly PriceMode[],
): readonly PriceMode[] {
  const published = PUBLISHED.filter((row) => row.provider === provider && row.models.test(modelId));
  const others = published
    .map(({ mode }) => mode)
    .filter(({ words }) => !listed.some((one) => sharesWord(one.words, words)));
  return others.length === 0 ? listed : [...listed, ...others];
}

function sharesWord(one: ModeWords, other: ModeWords): boolean {
  return Object.entries(one).some(([kind, word]) => other[kind as keyof ModeWords] === word);
}
