import { expect, it } from 'vitest';
import { withPublishedPrices } from '../../src/catalog/published-prices.js';
import type { Pricing } from '../../src/catalog/types.js';

const CLAUDE: Pricing = {
  prices: { prompt: '0.000003', completion: '0.000015', input_cache_write: '0.00000375' },
  discount: null,
  overrides: [
    {
      prices: { prompt: '0.000006', completion: '0.0000225', input_cache_write: '0.0000075' },
      minPromptTokens: 200_000,
      utcStart: null,
      utcEnd: null,
      utcDays: null,
    },
  ],
};

it('a write to a cache of Claude for an hour costs twice the input, in overrides too, and a search of Anthropic 0.01 USD', () => {
  const { prices, overrides } = withPublishedPrices('anthropic/claude-sonnet-4.5', 'anthropic', CLAUDE);
  expect(prices).toEqual({ ...CLAUDE.prices, input_cache_write_1h: '0.000006', web_search: '0.01' });
  expect(overrides[0]?.prices.input_cache_write_1h).toBe('0.000012');
});

it('at other hosts of its makers searches have no price, and at resellers nothing is filled in', () => {
  const bedrock = withPublishedPrices('anthropic/claude-sonnet-4.5', 'amazon-bedrock', CLAUDE);
  expect(bedrock.prices).toEqual({ ...CLAUDE.prices, input_cache_write_1h: '0.000006' });
  expect(withPublishedPrices('anthropic/claude-sonnet-4.5', 'aihubmix', CLAUDE)).toBe(CLAUDE);
  expect(withPublishedPrices('openai/gpt-x', 'anthropic', CLAUDE)).toBe(CLAUDE);
});

it('what is priced already stays, and without a price of writes there is none for an hour', () => {
  const priced = { ...CLAUDE, prices: { ...CLAUDE.prices, input_cache_write_1h: '0.1', web_search: '0.2' } };
  expect(withPublishedPrices('anthropic/claude-x', 'anthropic', priced).prices).toEqual(priced.prices);
  const bare = { prices: { prompt: '1', completion: '1' }, discount: null, overrides: [] };
  expect(withPublishedPrices('anthropic/claude-x', 'azure', bare).prices).toEqual(bare.prices);
});
