import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Catalog } from '../../src/catalog/catalog.js';
import { UNFILTERED } from '../../src/catalog/visibility.js';
import { candidatesOf } from '../../src/routing/plan/candidates.js';
import { planFallbackChain } from '../../src/routing/plan/fallback-chain.js';
import { plan } from '../../src/routing/plan/plan.js';
import { noPreferences } from '../../src/routing/plan/preferences.js';
import { cacheCandidates, createRouteCache } from '../../src/routing/route-cache.js';
import type { PlanInput } from '../../src/routing/types.js';
import { planInput } from './arbitraries.js';
import { endpoint, input, key, model, shared } from './contexts.js';

/** Requests that share some of their very objects and differ in the rest, as requests do between changes. */
const sequences = fc
  .tuple(fc.array(planInput, { minLength: 2, maxLength: 4 }), fc.array(fc.array(fc.nat(3), { maxLength: 9 })))
  .map(([worlds, picks]) => {
    const at = (index = 0): PlanInput => worlds[index % worlds.length] ?? input([]);
    return picks.map(([base, policy, keys, sharing, asking, modelled, caller = 0]): PlanInput => {
      const { preferences, hasCredits, promptTokens, statistics, health } = at(asking);
      return {
        ...at(base),
        ...{ preferences, hasCredits, promptTokens, statistics, health },
        policy: at(policy).policy,
        keys: at(keys).keys,
        sharedProviders: at(sharing).sharedProviders,
        model: at(modelled).model,
        caller: { ...at(base).caller, ...CALLERS[caller] },
      };
    });
  });

const CALLERS = [{}, { apiKeyHash: 'other' }, { userId: 'someone' }, { workspaceId: 'elsewhere' }];

describe('a plan over remembered ways', () => {
  it('is the plan that would be made anew, whatever was planned before and however little is kept', () => {
    fc.assert(
      fc.property(sequences, fc.constantFrom(0, 7, 40, 10_000), (requests, bound) => {
        const remembering = cacheCandidates(bound);
        for (const request of requests) {
          const [planned] = planFallbackChain([request.model], request, remembering).plans;
          expect(planned?.plan).toEqual(plan(request));
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe('ways are remembered', () => {
  const known = input([endpoint('a'), endpoint('b')], { keys: [key('K', 'a')] });
  const find = (remembering: typeof candidatesOf, given: PlanInput) =>
    remembering(given.model, given, given.preferences);

  it('as long as they are found from the very same objects, whoever asks for what', () => {
    const remembering = cacheCandidates(100);
    const first = find(remembering, known);
    const again = { ...known, hasCredits: false, preferences: { ...noPreferences, only: ['a'] } };
    expect(find(remembering, { ...again, caller: { ...known.caller } })).toBe(first);
    expect(first).toEqual(candidatesOf(known.model, known, noPreferences));
  });

  it.each<[string, Partial<PlanInput>]>([
    ['policy', { policy: { ...UNFILTERED } }],
    ['keys', { keys: [...known.keys] }],
    ['shared credentials', { sharedProviders: shared('a', 'b') }],
    ['providers', { providers: new Map(known.providers) }],
    ['names of models', { resolveModelId: (name) => name }],
    ['model', { model: model(known.model.endpoints) }],
    ['API key', { caller: { ...known.caller, apiKeyHash: 'other' } }],
    ['member', { caller: { ...known.caller, userId: 'other' } }],
    ['workspace', { caller: { ...known.caller, workspaceId: 'other' } }],
    ['demand for zero data retention', { preferences: { ...noPreferences, zdr: true } }],
    ['demand that no data is collected', { preferences: { ...noPreferences, dataCollection: 'deny' } }],
  ])('and found anew for another %s', (_, change) => {
    const remembering = cacheCandidates(100);
    expect(find(remembering, { ...known, ...change })).not.toBe(find(remembering, known));
  });

  it('up to a bound, beyond which all are forgotten', () => {
    const remembering = cacheCandidates(10);
    const first = find(remembering, known);
    expect(find(remembering, known)).toBe(first);
    for (let round = 0; round < 3; round++) find(remembering, { ...known, model: model([endpoint('a')]) });
    expect(find(remembering, known)).not.toBe(first);
  });
});

describe('what credentials reach is remembered', () => {
  it('for the catalogue and the records that it was worked out from', () => {
    const routeCache = createRouteCache({
      open: () => ({ unusable: 'rejected' }),
      openShared: () => ({ unusable: 'rejected' }),
    });
    const catalog = (version: number) =>
      ({ version, providers: new Map(), resolveId: (name: string) => name }) as unknown as Catalog;
    const [here, later] = [catalog(1), catalog(2)];
    const [stored, sharing] = [[], new Map()];
    const keys = routeCache.routableKeys(stored, here);
    const reaches = routeCache.sharedCoverage(sharing, here);
    expect(routeCache.routableKeys(stored, here)).toBe(keys);
    expect(routeCache.sharedCoverage(sharing, here)).toBe(reaches);
    expect(routeCache.routableKeys([], here)).not.toBe(keys);
    expect(routeCache.routableKeys(stored, later)).not.toBe(keys);
    expect(routeCache.sharedCoverage(sharing, later)).not.toBe(reaches);
  });
});
