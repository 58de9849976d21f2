import { describe, expect, it } from 'vitest';
import { plan } from '../../src/routing/plan/plan.js';
import { endpoint, input, key, pricing, provider, route } from './contexts.js';

const [a, b, c] = [endpoint('a'), endpoint('b'), endpoint('c')];

describe('BYOK endpoints are always tried first, then shared capacity in the requested order', () => {
  it('with order [A, B, C] and keys for all three: A key, B key, C key, then A shared, B shared, C shared', () => {
    const keys = [key('C key', 'c'), key('A key', 'a'), key('B key', 'b')];
    const planned = plan(input([c, b, a], { keys, preferences: { order: ['a', 'b', 'c'] } }));
    expect(route(planned)).toEqual(['A key', 'B key', 'C key', 'a shared', 'b shared', 'c shared']);
    expect(planned.excluded).toEqual([]);
  });

  it('with order [A, B] and a key only for B: B key, A shared, B shared', () => {
    const planned = plan(input([a, b], { keys: [key('B key', 'b')], preferences: { order: ['a', 'b'] } }));
    expect(route(planned)).toEqual(['B key', 'a shared', 'b shared']);
  });

  it('the requested order also orders the providers of keys', () => {
    const keys = [key('A key', 'a'), key('B key', 'b')];
    const planned = plan(input([a, b], { keys, preferences: { order: ['b', 'a'] } }));
    expect(route(planned)).toEqual(['B key', 'A key', 'b shared', 'a shared']);
  });
});

describe('Prioritized keys in their order, shared endpoints, Fallback keys in their order', () => {
  it('keys of a section follow their sort_order, providers their slug', () => {
    const keys = [
      key('f1', 'a', { isFallback: true, sortOrder: 1 }),
      key('p1', 'a', { sortOrder: 1 }),
      key('f0', 'a', { isFallback: true, sortOrder: 0 }),
      key('q0', 'b', { sortOrder: 0 }),
      key('p0', 'a', { sortOrder: 0 }),
    ];
    const planned = plan(input([a, b], { keys }));
    expect(route(planned)).toEqual(['p0', 'p1', 'q0', 'a shared', 'b shared', 'f0', 'f1']);
  });

  it('sort_order decides between keys of a provider, whatever their ids; only a tie goes by id', () => {
    const keys = [
      key('K1', 'a', { sortOrder: 2 }),
      key('K4', 'a', { sortOrder: 1 }),
      key('K3', 'a', { sortOrder: 1 }),
      key('K9', 'a', { sortOrder: 0 }),
    ];
    const expected = ['K9', 'K3', 'K4', 'K1'];
    expect(route(plan(input([a], { keys, sharedProviders: new Map() })))).toEqual(expected);
    expect(route(plan(input([a], { keys: keys.toReversed(), sharedProviders: new Map() })))).toEqual(
      expected,
    );
  });

  it('a key with several endpoints: key first, then its endpoints by price', () => {
    const endpoints = [
      endpoint('a', { region: 'us', pricing: pricing('0.3') }),
      endpoint('a', { region: 'eu', pricing: pricing('0.1', '0.1') }),
    ];
    const keys = [key('first', 'a', { sortOrder: 0 }), key('second', 'a', { sortOrder: 1 })];
    const planned = plan(input(endpoints, { keys }));
    expect(planned.attempts.map(({ key: used, region }) => `${used?.id ?? 'shared'} ${region}`)).toEqual([
      'first eu',
      'first us',
      'second eu',
      'second us',
      'shared eu',
      'shared us',
    ]);
  });
});

describe('shared capacity after the requested order', () => {
  it('goes by prompt + completion price after discount, then by slug', () => {
    const endpoints = [
      endpoint('dear', { pricing: pricing('0.000002', '0.000002') }),
      endpoint('tied-b', { pricing: pricing('0.000001', '0.000001') }),
      endpoint('tied-a', { pricing: pricing('0.0000005', '0.0000015') }),
      endpoint('reduced', { pricing: pricing('0.000003', '0.000003', { discount: 0.9 }) }),
    ];
    expect(route(plan(input(endpoints)))).toEqual([
      'reduced shared',
      'tied-a shared',
      'tied-b shared',
      'dear shared',
    ]);
  });

  it('the named providers come first, in order; the rest by price', () => {
    const endpoints = [
      endpoint('a', { pricing: pricing('3') }),
      endpoint('b', { pricing: pricing('2') }),
      endpoint('c', { pricing: pricing('1') }),
    ];
    const planned = plan(input(endpoints, { preferences: { order: ['a'] } }));
    expect(route(planned)).toEqual(['a shared', 'c shared', 'b shared']);
  });

  it('every position of the requested order counts, also between two endpoints, whatever their price', () => {
    const endpoints = [
      endpoint('a', { pricing: pricing('1') }),
      endpoint('b', { pricing: pricing('2') }),
      endpoint('c', { pricing: pricing('3') }),
      endpoint('d', { pricing: pricing('4') }),
    ];
    const ordered = plan(input(endpoints, { preferences: { order: ['d', 'c', 'b'] } }));
    expect(route(ordered)).toEqual(['d shared', 'c shared', 'b shared', 'a shared']);
    const two = plan(input(endpoints.slice(0, 2), { preferences: { order: ['b', 'a'] } }));
    expect(route(two)).toEqual(['b shared', 'a shared']);
  });

  const measured = new Map([
    ['a/m1', { tokensPerSecond: 10, latencyMs: 100 }],
    ['b/m1', { tokensPerSecond: 90, latencyMs: 900 }],
    ['c/m1', { tokensPerSecond: null, latencyMs: null }],
  ]);
  const sorted = (sort: 'throughput' | 'latency' | 'price') => {
    const endpoints = [
      endpoint('a', { pricing: pricing('4') }),
      endpoint('b', { pricing: pricing('3') }),
      endpoint('c', { pricing: pricing('2') }),
      endpoint('d', { pricing: pricing('1') }),
    ];
    return route(plan(input(endpoints, { statistics: (id) => measured.get(id), preferences: { sort } })));
  };

  it('sort: throughput takes the fastest first; unmeasured endpoints follow, by price', () => {
    expect(sorted('throughput')).toEqual(['b shared', 'a shared', 'd shared', 'c shared']);
  });

  it('sort: latency takes the quickest first; unmeasured endpoints follow, by price', () => {
    expect(sorted('latency')).toEqual(['a shared', 'b shared', 'd shared', 'c shared']);
  });

  it('sort: price is the default', () => {
    expect(sorted('price')).toEqual(['d shared', 'c shared', 'b shared', 'a shared']);
  });

  it('measurements decide nothing unless the request sorts by them', () => {
    const endpoints = [
      endpoint('a', { pricing: pricing('3') }),
      endpoint('b', { pricing: pricing('2') }),
      endpoint('c', { pricing: pricing('1') }),
    ];
    const statistics = (id: string) => measured.get(id);
    const planned = plan(input(endpoints, { statistics, preferences: { order: ['nowhere'] } }));
    expect(route(planned)).toEqual(['c shared', 'b shared', 'a shared']);
  });

  it('degraded endpoints are tried last of their section', () => {
    const degraded = endpoint('a', { status: 'degraded' });
    const keys = [key('A key', 'a'), key('B key', 'b'), key('F key', 'b', { isFallback: true })];
    const planned = plan(input([degraded, b], { keys, preferences: { order: ['a', 'b'] } }));
    expect(route(planned)).toEqual(['B key', 'A key', 'b shared', 'a shared', 'F key']);
  });

  it('what keeps failing is tried last of all, in the order that it would have had', () => {
    const keys = [key('A key', 'a'), key('B key', 'b'), key('F key', 'b', { isFallback: true })];
    const planned = plan(
      input([a, b], {
        keys,
        health: (endpointId, byokKeyId) =>
          byokKeyId === 'A key' || (endpointId === 'a/m1' && byokKeyId === null)
            ? { state: 'cooling', until: 99 }
            : { state: 'ok' },
      }),
    );
    expect(route(planned)).toEqual(['B key', 'b shared', 'F key', 'A key', 'a shared']);
    expect(planned.attempts.at(-1)?.health).toEqual({ state: 'cooling', until: 99 });
  });
});

describe('the region of an attempt is the one really called', () => {
  it('of the key where it names one, else of the endpoint, else of its provider; null where several are possible', () => {
    const keys = [
      key('k1', 'a', { sortOrder: 0 }, { regionsFor: () => ['us-east-1'] }),
      key('k2', 'a', { sortOrder: 1 }, { regionsFor: () => [] }),
    ];
    const providers = new Map([
      ['a', provider('a', { regions: ['eu'] })],
      ['b', provider('b', { regions: ['eu', 'us'] })],
    ]);
    const planned = plan(input([a, b], { keys, providers }));
    expect(planned.attempts.map((attempt) => attempt.region)).toEqual(['us-east-1', null, 'eu', null]);
  });
});
