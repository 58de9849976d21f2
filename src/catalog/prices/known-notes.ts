/** Why prices in lists that look wrong are right, or stay: `docs/providers/prices.md#noted`, with sources and dates. */
import type { PriceNotes } from '../input/catalog-file.js';

interface Noted {
  readonly provider: string;
  /** Its own names of models. */
  readonly upstreamModelIds: readonly string[];
  readonly keys: readonly string[];
  readonly note: string;
}

const PRICES = ['prompt', 'completion', 'input_cache_read', 'input_cache_write'];

const NOTED: readonly Noted[] = [
  {
    provider: 'aihubmix',
    upstreamModelIds: [
      'alicloud-deepseek-v4-flash',
      'alicloud-deepseek-v4-pro',
      'alicloud-glm-5.1',
      'deep-deepseek-v4-flash',
      'deep-deepseek-v4-pro',
      'zai-glm-5.1',
    ],
    keys: PRICES,
    note: 'a reseller of several hosts, each at its own price; the name says which',
  },
  {
    provider: 'aihubmix',
    upstreamModelIds: ['gemini-3.1-flash-lite'],
    keys: ['input_cache_write'],
    note: "a reseller's price; Gemini counts no writes to caches",
  },
  {
    provider: 'alibaba-cn',
    upstreamModelIds: ['siliconflow/deepseek-r1-0528', 'kimi/kimi-k2.5'],
    keys: PRICES,
    note: 'sold on behalf of another host, at its price; the name says whose',
  },
  {
    provider: 'together',
    upstreamModelIds: ['pearl-ai/gemma-4-31b-it'],
    keys: PRICES,
    note: 'weights of another maker, at their own price',
  },
  {
    provider: 'minimax',
    upstreamModelIds: ['MiniMax-M2.5-highspeed', 'MiniMax-M2.7-highspeed'],
    keys: ['input_cache_write'],
    note: 'at high speed MiniMax doubles input and output, not writes to caches',
  },
  {
    provider: 'novita',
    upstreamModelIds: ['minimax/minimax-m2.7-highspeed'],
    keys: ['input_cache_write'],
    note: 'at high speed MiniMax doubles input and output, not writes to caches',
  },
  {
    provider: 'deepinfra',
    upstreamModelIds: ['MiniMaxAI/MiniMax-M2.5'],
    keys: ['input_cache_write'],
    note: "the list's, which is MiniMax's own price of writes; DeepInfra counts none",
  },
];

/** undefined where nothing is known. */
export function knownNotes(provider: string, upstreamModelId: string): PriceNotes | undefined {
  const entries = NOTED.filter(
    (one) => one.provider === provider && one.upstreamModelIds.includes(upstreamModelId),
  ).flatMap(({ keys, note }) => keys.map((key) => [key, note] as const));
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}
