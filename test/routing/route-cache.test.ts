import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KeyIndex } from '../../src/byok/cache/key-index.js';
import type { StoredKey } from '../../src/byok/keys/ports.js';
import type { Catalog } from '../../src/catalog/assembled/catalog.js';
import { UNFILTERED } from '../../src/catalog/visibility.js';
import { candidatesOf } from '../../src/routing/plan/candidates.js';
import { plan } from '../../src/routing/plan/plan.js';
import { noPreferences } from '../../src/routing/plan/preferences.js';
import { cacheCandidates, createRouteCache } from '../../src/routing/router/route-cache.js';
import type { PlanInput } from '../../src/routing/types.js';
import { planInput } from './arbitraries.js';
import { endpoint, input, key, keysOf, model, shared, wholeChainOf } from './contexts.js';

/** Requests that share some objects by identity and differ in the rest, as requests do between changes. */
const sequences = fc
  .tuple(fc.array(planInput, { minLength: 2, maxLength: 4 }), fc.array(fc.array(fc.nat(3), { maxLength: 9 })))
  .map(([worlds, picks]) => {
    const at = (index = 0): PlanInput => worlds[index % worlds.length] ?? input([]);
    return picks.map(([base, policy, keys, sharing, request, modelled, caller = 0]): PlanInput => {
      const { preferences, hasCredits, promptTokens, statistics, health } = at(request);
      return {
        ...at(base),
        preferences,
        hasCredits,
        promptTokens,
        statistics,
        health,
        policy: at(policy).policy,
        keys: at(keys).keys,
        sharedProviders: at(sharing).sharedProviders,
        model: at(modelled).model,
        caller: { ...at(base).caller, ...CALLERS[caller] },
      };
    });
  });

const CALLERS = [{}, { apiKeyHash: 'other' }, { userId: 'someone' }, { workspaceId: 'elsewhere' }];

describe('a plan over cached candidates', () => {
  it('equals the plan without a cache, whatever was planned before and however small the cache', () => {
    fc.assert(
      fc.property(sequences, fc.constantFrom(0, 7, 40, 10_000), (requests, maxCandidates) => {
        const caching = cacheCandidates(maxCandidates);
        for (const request of requests) {
          const [planned] = wholeChainOf([request.model], request, caching).plans;
          expect(planned?.plan).toEqual(plan(request));
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe('candidates are cached', () => {
  const { caller } = input([]);
  const named = key('K', 'a', {
    allowedApiKeyHashes: [caller.apiKeyHash, 'other'],
    allowedUserIds: [caller.userId, 'other'],
  });
  const known = input([endpoint('a'), endpoint('b')], { keys: [named] });
  const find = (caching: typeof candidatesOf, given: PlanInput) =>
    caching(given.model, given, given.preferences);

  it('as long as they are computed from the identical objects, whatever the request', () => {
    const caching = cacheCandidates(100);
    const first = find(caching, known);
    const again = { ...known, hasCredits: false, preferences: { ...noPreferences, only: ['a'] } };
    expect(find(caching, { ...again, caller: { ...known.caller } })).toBe(first);
    expect(first).toEqual(candidatesOf(known.model, known, noPreferences));
  });

  it.each<[string, Partial<PlanInput>]>([
    ['policy', { policy: { ...UNFILTERED } }],
    ['keys', { keys: new KeyIndex(keysOf(known)) }],
    ['shared credentials', { sharedProviders: shared('a', 'b') }],
    ['providers', { providers: new Map(known.providers) }],
    ['names of models', { resolveModelId: (name) => name }],
    ['model', { model: model(known.model.endpoints) }],
    ['API key', { caller: { ...known.caller, apiKeyHash: 'other' } }],
    ['member', { caller: { ...known.caller, userId: 'other' } }],
    ['workspace', { caller: { ...known.caller, workspaceId: 'other' } }],
    ['demand for zero data retention', { preferences: { ...noPreferences, zdr: true } }],
    ['demand that no data is collected', { preferences: { ...noPreferences, dataCollection: 'deny' } }],
  ])('and computed anew for another %s', (_, change) => {
    const caching = cacheCandidates(100);
    expect(find(caching, { ...known, ...change })).not.toBe(find(caching, known));
  });

  it('once for all callers of a workspace that no key names', () => {
    const caching = cacheCandidates(100);
    const unnamed = (apiKeyHash: string) => ({ ...known, caller: { ...caller, apiKeyHash } });
    const first = find(caching, unnamed('one'));
    expect(find(caching, unnamed('another'))).toBe(first);
    expect(find(caching, known)).not.toBe(first);
    const elsewhere = {
      ...unnamed('one'),
      caller: { ...caller, apiKeyHash: 'one', workspaceId: 'elsewhere' },
    };
    expect(find(caching, elsewhere)).not.toBe(first);
  });

  it('up to a maximum, beyond which the cache is emptied', () => {
    const caching = cacheCandidates(10);
    const first = find(caching, known);
    expect(find(caching, known)).toBe(first);
    for (let round = 0; round < 3; round++) find(caching, { ...known, model: model([endpoint('a')]) });
    expect(find(caching, known)).not.toBe(first);
  });
});

describe('the coverage of credentials is cached', () => {
  it('for the catalogue and the records that it was computed from', () => {
    const routeCache = createRouteCache({
      open: () => ({ unusable: 'rejected' }),
      openShared: () => ({ unusable: 'rejected' }),
    });
    const catalog = (version: number) =>
      ({ version, providers: new Map(), resolveId: (name: string) => name }) as unknown as Catalog;
    const [here, later] = [catalog(1), catalog(2)];
    const [stored, sharing] = [new KeyIndex<StoredKey>(), new Map()];
    const keys = routeCache.routableKeys(stored, here);
    const coverage = routeCache.sharedCoverage(sharing, here);
    expect(routeCache.routableKeys(stored, here)).toBe(keys);
    expect(routeCache.sharedCoverage(sharing, here)).toBe(coverage);
    expect(routeCache.routableKeys(new KeyIndex<StoredKey>(), here)).not.toBe(keys);
    expect(routeCache.routableKeys(stored, later)).not.toBe(keys);
    expect(routeCache.sharedCoverage(sharing, later)).not.toBe(coverage);
  });
});
