import { describe, expect, it } from 'vitest';
import type { PriceMode } from '../../src/catalog/types.js';
import { billableModes } from '../../src/routing/estimate/billable-modes.js';
import { maxCostOf } from '../../src/routing/estimate/max-usage.js';
import { requestSize } from '../../src/routing/estimate/request-size.js';
import { sharedAttempt } from '../support/chat.js';

function mode(words: PriceMode['words'], multiplier: string): PriceMode {
  return { words, isBatch: false, minPromptTokens: null, multiplier, prices: {} };
}

const MODES = [
  mode({ service_tier: 'priority' }, '2'),
  mode({ service_tier: 'flex' }, '0.5'),
  mode({ service_tier: 'ultrafast' }, '12'),
  mode({ inference_geo: 'us' }, '1.1'),
];

/** At a host of which nothing is known, so that everything is said to it as it came. */
function attempt(slug = 'a', modes: readonly PriceMode[] = MODES) {
  const prices = { prompt: '0.000001', completion: '0.000001' };
  const base = sharedAttempt('echo');
  const pricing = { prices, discount: null, overrides: [], modes };
  return {
    ...base,
    endpoint: { ...base.endpoint, pricing },
    provider: { ...base.provider, slug, adapter: 'openai' as const, baseUrl: 'https://llm.example/v1' },
  };
}

const size = (body: object) =>
  requestSize({ messages: [{ role: 'user', content: 'Hi' }], max_tokens: 100, ...body });

/** How many times the reservation of a request in no mode is made for this one. */
function timesBase(body: object, slug?: string): number {
  const [own, base] = [size(body), size({})].map((one) => maxCostOf(one, attempt(slug), 0));
  return Number(own) / Number(base);
}

describe('what is reserved for a request in a mode', () => {
  it.each<[body: object, times: number]>([
    [{}, 1],
    [{ service_tier: 'priority' }, 2],
    [{ service_tier: 'PRIORITY' }, 2],
    [{ service_tier: 'flex' }, 1],
    [{ service_tier: 'unheard_of' }, 1],
    [{ inference_geo: 'us' }, 1.1],
    [{ service_tier: 'priority', inference_geo: 'us' }, 2.2],
    [{ service_tier: 'flex', inference_geo: 'us' }, 1.1],
    [{ service_tier: 'default', inference_geo: 'global' }, 1],
    [{ service_tier: null }, 1],
    [{ service_tier: 7 }, 1],
  ])('%j: the dearest of what is asked for and the base', (body, times) => {
    expect(timesBase(body)).toBeCloseTo(times, 6);
  });

  it('the dearest mode that has a price, where a host may choose and has no known word for the base', () => {
    expect(timesBase({ service_tier: 'auto' })).toBeCloseTo(12, 6);
    expect(timesBase({ service_tier: 'auto', inference_geo: 'us' })).toBeCloseTo(13.2, 6);
    expect(timesBase({ service_tier: 'auto' }, 'openai')).toBe(1);
  });

  it('of an endpoint without modes is never more than the base', () => {
    const plain = attempt('a', []);
    expect(billableModes(size({ service_tier: 'auto', speed: 'fast' }), plain)).toHaveLength(1);
  });
});
