import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AccountCandidate } from '../../src/routing/health/account-candidate.js';
import { createCircuit } from '../../src/routing/health/circuit.js';
import {
  FAILURES_TO_COOL,
  FIRST_COOLING_MS,
  MAX_RETRY_AFTER_MS,
  type Outcome,
  UNSUPPORTED_COOLING_MS,
} from '../../src/routing/health/failure-record.js';
import { MAX_PROBE_MS } from '../../src/routing/health/probe-permit.js';

const at = (accountId: string, endpointId = 'e'): AccountCandidate => ({
  accountId,
  endpointId,
  byokKeyId: null,
});
const FAILURE: Outcome = { kind: 'failure' };
const UNSUPPORTED: Outcome = { kind: 'unsupported' };
const limited = (retryAfterMs: number): Outcome => ({ kind: 'rate_limited', retryAfterMs });

/** A breaker in which each of the accounts has met the outcome, and how another one finds the endpoint. */
function metBy(accounts: readonly string[], outcome: Outcome, now = 0) {
  const circuit = createCircuit();
  for (const account of accounts) circuit.record(at(account), outcome, now);
  return { circuit, other: (when: number) => circuit.health(at('other'), when) };
}

/** Everything that makes an endpoint be tried last. */
const ANYTHING = fc.constantFrom<Outcome>(FAILURE, UNSUPPORTED, limited(60_000), {
  kind: 'rate_limited',
  retryAfterMs: null,
});

describe('what an account meets on shared capacity holds for that account', () => {
  it('a 429 is not ended by an answer that began before it, where the endpoint cooled for longer already', () => {
    const { circuit } = metBy(['a'], UNSUPPORTED);
    circuit.record(at('a'), limited(30_000), 2_000);
    circuit.record(at('a'), { kind: 'success' }, 1_000);
    expect(circuit.health(at('a'), 3_000)).toEqual({ state: 'resting', until: 32_000 });
  });

  it.each([
    ['a 429 with Retry-After', limited(20_000), 'resting'],
    ['an endpoint that can’t answer', UNSUPPORTED, 'cooling'],
  ] as const)('%s, which no other is told of', (_, outcome, state) => {
    const { circuit, other } = metBy(['a'], outcome);
    expect(circuit.health(at('a'), 0).state).toBe(state);
    expect(circuit.enter(at('a'), 0)).toBeUndefined();
    expect(other(0)).toEqual({ state: 'ok' });
    expect(circuit.enter(at('other'), 0)).toBeDefined();
  });

  it('whatever one or two accounts meet, and how often, nobody else is told of', () => {
    const steps = fc.array(fc.tuple(fc.constantFrom('a', 'b'), ANYTHING, fc.nat(90_000)), { maxLength: 300 });
    fc.assert(
      fc.property(steps, (met) => {
        const circuit = createCircuit();
        let now = 0;
        for (const [account, outcome, passing] of met) {
          now += passing;
          circuit.enter(at(account), now);
          circuit.record(at(account), outcome, now);
          expect(circuit.health(at('other'), now)).toEqual({ state: 'ok' });
          const permit = circuit.enter(at('other'), now);
          expect(permit).toBeDefined();
          permit?.end(false);
        }
      }),
    );
  });

  it('a success of a request that was answered before ends neither its cooling nor its rest', () => {
    for (const outcome of [limited(20_000), UNSUPPORTED]) {
      const { circuit } = metBy(['a'], outcome, 100);
      circuit.record(at('a'), { kind: 'success' }, 99);
      expect(circuit.health(at('a'), 100).state).not.toBe('ok');
      circuit.record(at('a'), { kind: 'success' }, 101);
      expect(circuit.health(at('a'), 101)).toEqual({ state: 'ok' });
    }
  });

  it('a key’s own failures are nobody’s but the key’s', () => {
    const circuit = createCircuit();
    const keyed = (accountId: string) => ({ accountId, endpointId: 'e', byokKeyId: `key of ${accountId}` });
    for (const account of ['a', 'b', 'c', 'd']) circuit.record(keyed(account), UNSUPPORTED, 0);
    expect(circuit.health(keyed('a'), 0).state).toBe('cooling');
    expect([circuit.health(at('a'), 0), circuit.health(at('other'), 0)]).toEqual([
      { state: 'ok' },
      { state: 'ok' },
    ]);
  });
});

describe('what three accounts have met holds for all', () => {
  const three = ['a', 'b', 'c'];

  it('a 429: until the shortest wait of the three longest is over, which one account can’t move', () => {
    const { circuit, other } = metBy(['a'], limited(MAX_RETRY_AFTER_MS));
    for (const [account, wait] of [
      ['b', 2_000],
      ['c', 9_000],
    ] as const)
      circuit.record(at(account), limited(wait), 0);
    expect(other(0)).toEqual({ state: 'resting', until: 2_000 });
    expect(other(2_000)).toEqual({ state: 'ok' });
    circuit.record(at('a'), limited(MAX_RETRY_AFTER_MS), 0);
    expect(other(0)).toEqual({ state: 'resting', until: 2_000 });
  });

  it('an endpoint that can’t answer, for ten minutes', () => {
    expect(metBy(three.slice(1), UNSUPPORTED).other(0)).toEqual({ state: 'ok' });
    const { other } = metBy(three, UNSUPPORTED);
    expect(other(0)).toEqual({ state: 'cooling', until: UNSUPPORTED_COOLING_MS });
  });

  it('an outage: one failure each, without a success in between, and not hours apart', () => {
    expect(metBy(three, FAILURE).other(0)).toEqual({ state: 'cooling', until: FIRST_COOLING_MS });
    const mended = metBy(['a', 'b'], FAILURE);
    mended.circuit.record(at('d'), { kind: 'success' }, 0);
    mended.circuit.record(at('c'), FAILURE, 0);
    expect(mended.other(0)).toEqual({ state: 'ok' });
    const slow = createCircuit();
    for (const [hour, account] of three.entries()) slow.record(at(account), FAILURE, hour * 3_600_000);
    expect(slow.health(at('other'), 2 * 3_600_000)).toEqual({ state: 'ok' });
  });

  it('cools again, twice as long, once three have failed after it, and no sooner', () => {
    const { circuit, other } = metBy(three, FAILURE);
    const again = FIRST_COOLING_MS;
    for (let count = 0; count < FAILURES_TO_COOL; count++) circuit.record(at('hostile'), FAILURE, again);
    expect(other(again)).toEqual({ state: 'ok' });
    for (const account of three.slice(1)) circuit.record(at(account), FAILURE, again);
    expect(other(again)).toEqual({ state: 'cooling', until: again + 2 * FIRST_COOLING_MS });
  });

  it('one success of anybody forgets it for all, but for those who have met it themselves', () => {
    const { circuit, other } = metBy(three, limited(20_000));
    circuit.record(at('d'), { kind: 'success' }, 1_000);
    expect(other(1_000)).toEqual({ state: 'ok' });
    expect(circuit.health(at('a'), 1_000).state).toBe('resting');
  });

  it('a success in between does not unsay what a provider has asked of others, but for an outage', () => {
    for (const [outcome, isKept] of [
      [limited(20_000), true],
      [UNSUPPORTED, true],
      [FAILURE, false],
    ] as const) {
      const { circuit, other } = metBy(['a', 'b'], outcome);
      circuit.record(at('d'), { kind: 'success' }, 0);
      expect(other(0)).toEqual({ state: 'ok' });
      circuit.record(at('c'), outcome, 0);
      expect(other(0).state !== 'ok').toBe(isKept);
    }
  });

  it('a success of a request that was answered before says nothing: its stream only ends now', () => {
    for (const outcome of [limited(20_000), UNSUPPORTED, FAILURE]) {
      const { circuit, other } = metBy(three, outcome, 1_000);
      const deferred = other(1_000);
      circuit.record(at('d'), { kind: 'success' }, 999);
      expect(other(1_000)).toEqual(deferred);
      circuit.record(at('d'), { kind: 'success' }, 1_001);
      expect(other(1_001)).toEqual({ state: 'ok' });
    }
  });

  it('is never told a shorter time by something else that three have met', () => {
    const { circuit, other } = metBy(three.slice(0, 2), UNSUPPORTED);
    const now = UNSUPPORTED_COOLING_MS - 1_000;
    for (const account of three) circuit.record(at(account), FAILURE, now);
    circuit.record(at('c'), UNSUPPORTED, now);
    expect(other(now)).toEqual({ state: 'cooling', until: now + FIRST_COOLING_MS });
  });

  it('counts as one cooling candidate, however many accounts have met it', () => {
    const { circuit } = metBy([...three, 'd', 'e'], limited(20_000));
    expect(circuit.cooling(0)).toBe(1);
    expect(metBy(three, FAILURE).circuit.cooling(0)).toBe(1);
  });
});

describe('a probe delays nobody but the account that makes it', () => {
  it('up to three accounts probe after a cooling, one attempt each', () => {
    const { circuit, other } = metBy(['a', 'b', 'c'], FAILURE);
    const now = FIRST_COOLING_MS;
    expect(circuit.enter(at('hostile'), now)).toBeDefined();
    expect(circuit.enter(at('hostile'), now)).toBeUndefined();
    expect(other(now)).toEqual({ state: 'ok' });
    expect(circuit.enter(at('d'), now)).toBeDefined();
    const third = circuit.enter(at('f'), now);
    expect(third).toBeDefined();
    expect(other(now)).toEqual({ state: 'cooling', until: now + MAX_PROBE_MS });
    third?.end(true);
    expect(other(now)).toEqual({ state: 'ok' });
    expect(circuit.enter(at('hostile'), now)).toBeDefined();
  });

  it('one that is silent leaves its place after the maximum', () => {
    const { circuit, other } = metBy(['a', 'b', 'c'], FAILURE);
    const now = FIRST_COOLING_MS;
    for (const account of ['x', 'y', 'z']) circuit.enter(at(account), now);
    expect(other(now + MAX_PROBE_MS - 1).state).toBe('cooling');
    expect(other(now + MAX_PROBE_MS)).toEqual({ state: 'ok' });
    expect(circuit.enter(at('other'), now + MAX_PROBE_MS)).toBeDefined();
  });
});
