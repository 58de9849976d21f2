/** Prices of lists that are not their hosts' own: `docs/providers/prices.md#corrected`, with sources and dates. */
import { formatDecimal, parseDecimal } from '../../base/money.js';
import type { PriceKey, Pricing } from '../types.js';
import { isClaudeOfItsMaker } from './claude-hosts.js';

interface Correction {
  readonly provider: string;
  readonly model: string;
  readonly key: Exclude<PriceKey, 'prompt' | 'completion'>;
  /** USD per million tokens; what a list has otherwise is the list's word. */
  readonly listed: string;
  /** null = the host has no such price. */
  readonly right: string | null;
}

const read = (provider: string, model: string, listed: string, right: string | null): Correction => ({
  provider,
  model,
  key: 'input_cache_read',
  listed,
  right,
});

const CORRECTIONS: readonly Correction[] = [
  {
    provider: 'anthropic',
    model: 'anthropic/claude-3-sonnet',
    key: 'input_cache_write',
    listed: '0.3',
    right: '3.75',
  },
  read('azure', 'openai/gpt-5', '0.13', '0.125'),
  read('azure', 'openai/gpt-5-chat', '0.13', '0.125'),
  read('azure', 'openai/gpt-5-codex', '0.13', '0.125'),
  read('azure', 'openai/gpt-5-mini', '0.03', '0.025'),
  read('azure', 'openai/gpt-5-nano', '0.01', '0.005'),
  read('azure', 'openai/gpt-5.2', '0.125', '0.175'),
  read('cerebras', 'z-ai/glm-4.7', '0', null),
  read('google-ai-studio', 'google/gemini-2.5-flash-image', '0.075', '0.03'),
  read('google-vertex', 'google/gemini-2.5-flash', '0.075', '0.03'),
  {
    provider: 'google-vertex',
    model: 'google/gemini-2.5-flash',
    key: 'input_cache_write',
    listed: '0.383',
    right: null,
  },
  read('novita', 'xiaomi/mimo-v2-flash', '0.3', null),
  read('openai', 'openai/gpt-3.5-turbo', '0', null),
];

/** Claude whose whole context costs the same. */
const FLAT = /^anthropic\/claude-(?:[a-z]+-4\.[6-9]|[a-z]+-[5-9])/;

/** The same object where nothing is wrong. */
export function corrected(modelId: string, provider: string, pricing: Pricing): Pricing {
  const isFlat = isClaudeOfItsMaker(modelId, provider) && FLAT.test(modelId);
  const flat = isFlat ? withoutLengths(pricing) : pricing;
  const rows = CORRECTIONS.filter((row) => row.provider === provider && row.model === modelId);
  return rows.reduce(withCorrection, flat);
}

function withoutLengths(pricing: Pricing): Pricing {
  const overrides = pricing.overrides.filter(({ minPromptTokens }) => minPromptTokens === null);
  return overrides.length === pricing.overrides.length ? pricing : { ...pricing, overrides };
}

function withCorrection(pricing: Pricing, { key, listed, right }: Correction): Pricing {
  if (pricing.prices[key] !== perToken(listed)) return pricing;
  const { [key]: _, ...others } = pricing.prices;
  const prices = right === null ? others : { ...pricing.prices, [key]: perToken(right) };
  return { ...pricing, prices };
}

/** USD per token of USD per million. Throws a TypeError for what is no price. */
export function perToken(perMillion: string): string {
  const decimal = parseDecimal(perMillion);
  if (decimal === undefined) throw new TypeError(`not a price: ${perMillion}`);
  return formatDecimal({ ...decimal, scale: decimal.scale + PER_MILLION });
}

const PER_MILLION = 6;
