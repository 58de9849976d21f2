import { describe, expect, it } from 'vitest';
import { parseDecimal } from '../../src/base/money.js';
import { plan } from '../../src/routing/plan/plan.js';
import { endpoint, exclusions, input, key, pricing, route } from './contexts.js';

const usd = (text: string) => parseDecimal(text) ?? null;
const noMaxPrice = { prompt: null, completion: null, request: null, image: null };
const keys = [key('K', 'a')];

describe('preferences of the request', () => {
  const [a, b] = [endpoint('a'), endpoint('b')];

  it('names that exist nowhere are listed once and match nothing', () => {
    const planned = plan(input([a], { preferences: { order: ['x', 'a'], only: ['y', 'x'], ignore: ['z'] } }));
    expect(planned.unknownProviders).toEqual(['x', 'y', 'z']);
    expect(exclusions(planned)).toEqual(['a/m1: request_only']);
  });

  it.each([[{ order: ['a', 'x'] }], [{ only: ['a', 'x'] }], [{ ignore: ['x'] }]])(
    'a name that exists nowhere is found in each list on its own: %j',
    (preferences) => {
      expect(plan(input([endpoint('a')], { preferences })).unknownProviders).toEqual(['x']);
    },
  );

  it('without lists no name is unknown', () => {
    expect(plan(input([endpoint('a')])).unknownProviders).toEqual([]);
  });

  it('allow_fallbacks: false with order leaves endpoints and keys of the named providers', () => {
    const own = [key('A key', 'a'), key('B key', 'b')];
    const planned = plan(input([a, b], { keys: own, preferences: { order: ['b'], allowFallbacks: false } }));
    expect(route(planned)).toEqual(['B key', 'b shared']);
    expect(exclusions(planned)).toEqual(['a/m1: not_in_order', 'a/m1 + A key: not_in_order']);
  });

  it('allow_fallbacks: false without order, or with an empty one, leaves the first attempt only', () => {
    for (const order of [null, []]) {
      const planned = plan(input([a, b], { keys, preferences: { order, allowFallbacks: false } }));
      expect(route(planned)).toEqual(['K']);
      expect(exclusions(planned)).toEqual(['a/m1: fallbacks_not_allowed', 'b/m1: fallbacks_not_allowed']);
    }
  });

  it('max_price is inclusive, applies after discount, and to keys too', () => {
    const e = endpoint('a', { pricing: pricing('0.000002', '0.00001', { discount: 0.5 }) });
    const routeWithin = (prompt: string, completion: string) =>
      route(
        plan(
          input([e], {
            keys,
            preferences: { maxPrice: { ...noMaxPrice, prompt: usd(prompt), completion: usd(completion) } },
          }),
        ),
      );
    expect(routeWithin('1', '5')).toEqual(['K', 'a shared']);
    expect(routeWithin('0.999999999999', '5')).toEqual([]);
    expect(routeWithin('1', '4.9999')).toEqual([]);
  });

  it('max_price for requests and images passes an endpoint without such a price', () => {
    const priced = endpoint('b', {
      pricing: { ...pricing(), prices: { prompt: '0', completion: '0', request: '0.01', image: '0.02' } },
    });
    const routeWithin = (members: object) =>
      route(plan(input([a, priced], { preferences: { maxPrice: { ...noMaxPrice, ...members } } })));
    expect(routeWithin({ request: usd('0.01'), image: usd('0.02') })).toEqual(['b shared', 'a shared']);
    expect(routeWithin({ request: usd('0.009') })).toEqual(['a shared']);
    expect(routeWithin({ image: usd('0.019') })).toEqual(['a shared']);
  });

  it('an endpoint without a known quantization is called unknown', () => {
    const allowing = (quantizations: string[]) => route(plan(input([a], { preferences: { quantizations } })));
    expect(allowing(['unknown'])).toEqual(['a shared']);
    expect(allowing(['fp8'])).toEqual([]);
  });

  it('parameters matter with require_parameters only, in any spelling', () => {
    const using = (usedParameters: string[], requireParameters: boolean) =>
      route(plan(input([a], { usedParameters, preferences: { requireParameters } })));
    expect(using(['tools'], false)).toEqual(['a shared']);
    expect(using(['tools'], true)).toEqual([]);
    expect(using(['max_completion_tokens', 'temperature'], true)).toEqual(['a shared']);
  });

  it('a request fits when prompt and answer together fit the context, and the answer its bound', () => {
    const short = endpoint('a', { contextLength: 1000, maxCompletionTokens: 400 });
    const fits = (promptTokens: number | null, maxTokens: number | null) =>
      plan(input([short], { promptTokens, maxTokens })).attempts.length === 1;
    expect(fits(null, null)).toBe(true);
    expect(fits(600, 400)).toBe(true);
    expect(fits(601, 400)).toBe(false);
    expect(fits(10, 401)).toBe(false);
    expect(fits(1001, null)).toBe(false);
    const unbounded = endpoint('a', { contextLength: null });
    expect(plan(input([unbounded], { promptTokens: 1e9, maxTokens: 1e9 })).attempts).toHaveLength(1);
  });
});
