/** What reading from and writing to caches costs of what a prompt costs: `docs/catalog.md#prices-that-look-wrong`, with sources. */
import type { Pricing } from '../types.js';
import { isClaudeOfItsMaker } from './claude-hosts.js';
import { comparePrices, isZero, multiplyPrice } from './price-text.js';

type Prices = Partial<Pricing['prices']>;
export type CacheKey = 'input_cache_read' | 'input_cache_write' | 'input_cache_write_1h';

/** Of the price of the prompt. */
type Ratios = Readonly<Partial<Record<CacheKey, string>>>;

interface CacheRule {
  readonly covers: (provider: string, modelId: string) => boolean;
  readonly ratios: Ratios;
}

const OPENAI: ReadonlySet<string> = new Set(['openai', 'azure']);
/** With these and later ones OpenAI bills what is written to a cache, whether a request asks for it or not. */
const GPT_OF_PAID_WRITES = /^openai\/gpt-(?:5\.(?:[6-9]|\d\d)|[6-9])(?!\d)/;
const GPT_WRITE = '1.25';
const CLAUDE: Ratios = { input_cache_read: '0.1', input_cache_write: '1.25', input_cache_write_1h: '2' };

/** The first that covers a model counts. */
const RULES: readonly CacheRule[] = [
  claude(/claude-3-haiku$/, { ...CLAUDE, input_cache_read: '0.12', input_cache_write: '1.2' }),
  claude(/claude-(?:fable|mythos)-5\.1$/, { ...CLAUDE, input_cache_read: '0.025' }),
  claude(/claude-opus-5\.5$/, { ...CLAUDE, input_cache_read: '0.05' }),
  claude(/./, CLAUDE),
  { covers: paysForWrites, ratios: { input_cache_read: '0.1', input_cache_write: GPT_WRITE } },
  {
    covers: (provider, modelId) => OPENAI.has(provider) && /^openai\/gpt-5/.test(modelId),
    ratios: { input_cache_read: '0.1' },
  },
];

/** Whether the maker bills what a prompt writes to a cache, though nobody asked for it. */
export function paysForWrites(provider: string, modelId: string): boolean {
  return OPENAI.has(provider) && GPT_OF_PAID_WRITES.test(modelId);
}

/** With the price of writing to a cache where a list lacks it and the maker bills it of every prompt. */
export function withCacheWrites(modelId: string, provider: string, pricing: Pricing): Pricing {
  if (!paysForWrites(provider, modelId)) return pricing;
  const written = <P extends Prices>(prices: P): P =>
    prices.prompt === undefined || prices.input_cache_write !== undefined
      ? prices
      : { ...prices, input_cache_write: multiplyPrice(prices.prompt, GPT_WRITE) };
  return {
    ...pricing,
    prices: written(pricing.prices),
    overrides: pricing.overrides.map((one) => ({ ...one, prices: written(one.prices) })),
  };
}

function claude(names: RegExp, ratios: Ratios): CacheRule {
  return {
    covers: (provider, modelId) => isClaudeOfItsMaker(modelId, provider) && names.test(modelId),
    ratios,
  };
}

export interface OddPrice {
  readonly key: CacheKey;
  readonly expected: string;
  readonly found: string;
}

/** Prices that are not what the maker's rule says, or, where there is none, dearer or cheaper than any host's. */
export function oddCachePrices(provider: string, modelId: string, prices: Prices): OddPrice[] {
  const { prompt } = prices;
  if (prompt === undefined || isZero(prompt)) return [];
  const ratios = RULES.find(({ covers }) => covers(provider, modelId))?.ratios ?? {};
  return KEYS.flatMap((key) => {
    const found = prices[key];
    if (found === undefined) return [];
    const ratio = ratios[key];
    const expected = ratio === undefined ? withinBounds(key, found, prompt) : multiplyPrice(prompt, ratio);
    return comparePrices(expected, found) === 0 ? [] : [{ key, expected, found }];
  });
}

const KEYS = ['input_cache_read', 'input_cache_write', 'input_cache_write_1h'] as const;

/** What is written to a cache for longest costs twice the prompt at every host that publishes it. */
const DEAREST_WRITE = '2';

/** Reading costs something and not more than the prompt; writing nothing at all, or once to twice the prompt. */
function withinBounds(key: CacheKey, found: string, prompt: string): string {
  if (key === 'input_cache_read') return isZero(found) || comparePrices(found, prompt) > 0 ? prompt : found;
  if (isZero(found)) return found;
  if (comparePrices(prompt, found) > 0) return prompt;
  const most = multiplyPrice(prompt, DEAREST_WRITE);
  return comparePrices(found, most) > 0 ? most : found;
}
