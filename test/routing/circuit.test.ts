import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Circuit, createCircuit, MAX_RECORDS } from '../../src/routing/health/circuit.js';
import {
  FAILURES_TO_COOL,
  FIRST_COOLING_MS,
  MAX_COOLING_MS,
  MAX_RETRY_AFTER_MS,
  type Outcome,
} from '../../src/routing/health/failure-record.js';
import { MAX_PROBE_MS, type ProbePermit } from '../../src/routing/health/probe-permit.js';

const failure: Outcome = { kind: 'failure' };
const success: Outcome = { kind: 'success' };
const limited = (retryAfterMs: number | null): Outcome => ({ kind: 'rate_limited', retryAfterMs });

const keyed = (endpointId: string, byokKeyId: string | null) => ({ accountId: 'a', endpointId, byokKeyId });
const shared = (endpointId: string) => keyed(endpointId, null);

/** A breaker for one endpoint without a key, after these outcomes. */
function breaker(...outcomes: (readonly [Outcome, number])[]) {
  const circuit = createCircuit();
  for (const [outcome, now] of outcomes) circuit.record(shared('e'), outcome, now);
  return { circuit, at: (now: number) => circuit.health(shared('e'), now) };
}

const failing = (times: number, now: number) => Array.from({ length: times }, () => [failure, now] as const);

describe('what keeps failing is tried last for a short, growing time', () => {
  it('cools after several failures in a row, and is back after the time', () => {
    expect(breaker(...failing(FAILURES_TO_COOL - 1, 100)).at(100)).toEqual({ state: 'ok' });
    const { at } = breaker(...failing(FAILURES_TO_COOL, 100));
    expect(at(100)).toEqual({ state: 'cooling', until: 100 + FIRST_COOLING_MS });
    expect(at(100 + FIRST_COOLING_MS - 1).state).toBe('cooling');
    expect(at(100 + FIRST_COOLING_MS)).toEqual({ state: 'ok' });
  });

  it('one more failure after that cools again, twice as long, up to the maximum', () => {
    const { circuit, at } = breaker(...failing(FAILURES_TO_COOL, 0));
    let now = FIRST_COOLING_MS;
    const lengths: number[] = [];
    for (let round = 0; round < 5; round++) {
      circuit.record(shared('e'), failure, now);
      const health = at(now);
      if (health.state !== 'cooling') throw new Error('expected to cool');
      lengths.push(health.until - now);
      now = health.until;
    }
    expect(lengths).toEqual([10_000, 20_000, 30_000, 30_000, 30_000]);
  });

  it('a success resets everything', () => {
    expect(breaker(...failing(FAILURES_TO_COOL, 0), [success, 1]).at(2)).toEqual({ state: 'ok' });
    const recovered = breaker(...failing(FAILURES_TO_COOL - 1, 0), [success, 1], ...failing(1, 2));
    expect(recovered.at(2)).toEqual({ state: 'ok' });
  });

  it('invalid requests do not count, neither as failures nor as successes', () => {
    const invalid = [{ kind: 'invalid_request' }, 0] as const;
    expect(breaker(invalid, invalid, invalid, invalid).at(0)).toEqual({ state: 'ok' });
    expect(breaker(...failing(FAILURES_TO_COOL - 1, 0), invalid, ...failing(1, 0)).at(0).state).toBe(
      'cooling',
    );
  });

  it('many parallel failures of one outage are one cooling', () => {
    expect(breaker(...failing(500, 100)).at(100)).toEqual({
      state: 'cooling',
      until: 100 + FIRST_COOLING_MS,
    });
  });

  it('keys and endpoints are tracked separately', () => {
    const { circuit } = breaker(...failing(FAILURES_TO_COOL, 0));
    expect(circuit.health(keyed('e', 'key'), 0)).toEqual({ state: 'ok' });
    expect(circuit.health(shared('f'), 0)).toEqual({ state: 'ok' });
  });
});

describe('F18: Retry-After is respected per key', () => {
  it('from the first 429 on, bounded', () => {
    const { at } = breaker([limited(7_000), 100]);
    expect(at(100)).toEqual({ state: 'resting', until: 7_100 });
    expect(at(7_100)).toEqual({ state: 'ok' });
    expect(breaker([limited(3_600_000), 0]).at(0)).toEqual({
      state: 'resting',
      until: MAX_RETRY_AFTER_MS,
    });
  });

  it('is not shortened by a later, shorter one', () => {
    expect(breaker([limited(9_000), 0], [limited(1_000), 0]).at(0)).toEqual({
      state: 'resting',
      until: 9_000,
    });
  });

  it('admits nobody while it lasts, one to probe afterwards, and what was cooling before still cools', () => {
    const { circuit } = breaker([limited(7_000), 0]);
    expect(circuit.enter(shared('e'), 6_999)).toBeUndefined();
    expect([circuit.cooling(6_999), circuit.cooling(7_000)]).toEqual([1, 0]);
    expect(circuit.enter(shared('e'), 7_000)).toBeDefined();
    expect(circuit.enter(shared('e'), 7_000)).toBeUndefined();
    const both = breaker(...failing(FAILURES_TO_COOL, 0), [limited(1_000), 0]);
    expect([both.at(0).state, both.at(1_000).state]).toEqual(['resting', 'cooling']);
  });

  it('what can’t answer at all cools for ten minutes', () => {
    const { at } = breaker([{ kind: 'unsupported' }, 0]);
    expect([at(599_999).state, at(600_000).state]).toEqual(['cooling', 'ok']);
  });

  it('a 429 without it counts as a failure', () => {
    const outcomes = Array.from({ length: FAILURES_TO_COOL }, () => [limited(null), 0] as const);
    expect(breaker(...outcomes.slice(1)).at(0)).toEqual({ state: 'ok' });
    expect(breaker(...outcomes).at(0).state).toBe('cooling');
  });
});

describe('after a cooling a single attempt probes the candidate, and all others still try it last', () => {
  /** A breaker whose candidate has just cooled down, and that instant. */
  function cooledDown() {
    const { circuit, at } = breaker(...failing(FAILURES_TO_COOL, 0));
    const enter = (now: number) => circuit.enter(shared('e'), now);
    return { circuit, at, enter, cooled: FIRST_COOLING_MS };
  }

  it('admits everyone before there is a failure, or while failures are few', () => {
    const { circuit } = breaker(...failing(FAILURES_TO_COOL - 1, 0));
    for (let count = 0; count < 3; count++) {
      expect(circuit.enter(shared('e'), 0)).toBeDefined();
      expect(circuit.enter(shared('other'), 0)).toBeDefined();
    }
  });

  it('admits nobody while the candidate cools, and only the first after it', () => {
    const { circuit, at, enter, cooled } = cooledDown();
    expect(enter(cooled - 1)).toBeUndefined();
    expect(enter(cooled)).toBeDefined();
    expect([enter(cooled), enter(cooled + 1)]).toEqual([undefined, undefined]);
    expect(at(cooled)).toEqual({ state: 'cooling', until: cooled + MAX_PROBE_MS });
    expect(circuit.cooling(cooled)).toBe(1);
    expect(circuit.enter(keyed('e', 'key'), cooled)).toBeDefined();
  });

  it('a probe with content admits everyone, and one that succeeds resets the failures', () => {
    const { circuit, at, enter, cooled } = cooledDown();
    enter(cooled)?.end(true);
    expect(at(cooled)).toEqual({ state: 'ok' });
    expect([enter(cooled), enter(cooled)]).not.toContain(undefined);
    circuit.record(shared('e'), success, cooled);
    circuit.record(shared('e'), failure, cooled);
    expect(at(cooled)).toEqual({ state: 'ok' });
  });

  it('one whose answer breaks off after content cools the candidate again, for the next step', () => {
    const { circuit, at, enter, cooled } = cooledDown();
    enter(cooled)?.end(true);
    circuit.record(shared('e'), failure, cooled + 1);
    expect(at(cooled + 1)).toEqual({ state: 'cooling', until: cooled + 1 + 2 * FIRST_COOLING_MS });
  });

  it('a probe that fails cools the candidate again, for the next step, even after a single 429', () => {
    const { circuit, at, enter, cooled } = cooledDown();
    const probe = enter(cooled);
    circuit.record(shared('e'), failure, cooled);
    probe?.end(false);
    expect(at(cooled)).toEqual({ state: 'cooling', until: cooled + 2 * FIRST_COOLING_MS });
    expect(enter(cooled + 2 * FIRST_COOLING_MS - 1)).toBeUndefined();
    expect(enter(cooled + 2 * FIRST_COOLING_MS)).toBeDefined();

    const limitedOnce = breaker([limited(1_000), 0], [failure, 1_000]);
    expect(limitedOnce.at(1_000)).toEqual({ state: 'cooling', until: 1_000 + FIRST_COOLING_MS });
  });

  it.each([
    ['is abandoned', () => undefined],
    [
      'is refused as an invalid request',
      (circuit: Circuit) => circuit.record(shared('e'), { kind: 'invalid_request' }, FIRST_COOLING_MS),
    ],
  ])('one that %s leaves its place to the next', (_, report) => {
    const { circuit, at, enter, cooled } = cooledDown();
    const probe = enter(cooled);
    report(circuit);
    probe?.end(false);
    expect(at(cooled)).toEqual({ state: 'ok' });
    const next = enter(cooled);
    expect(next).toBeDefined();
    probe?.end(true);
    expect(enter(cooled), 'the place is the next one’s alone').toBeUndefined();
  });

  it('one that never ends blocks others no longer than the maximum', () => {
    const { at, enter, cooled } = cooledDown();
    enter(cooled);
    expect(enter(cooled + MAX_PROBE_MS - 1)).toBeUndefined();
    expect(at(cooled + MAX_PROBE_MS)).toEqual({ state: 'ok' });
    expect(enter(cooled + MAX_PROBE_MS)).toBeDefined();
    expect(enter(cooled + MAX_PROBE_MS)).toBeUndefined();
  });

  it('in any sequence, at most one attempt is admitted between a cooling and the next content', () => {
    const step = fc.oneof(
      fc.record({ does: fc.constant('enter' as const), passing: fc.nat(8_000) }),
      fc.record({
        does: fc.constantFrom('content' as const, 'success' as const, 'failure' as const, 'leave' as const),
        which: fc.nat(20),
      }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
        const circuit = createCircuit();
        let now = 0;
        for (const [one] of failing(FAILURES_TO_COOL, 0)) circuit.record(shared('e'), one, now);
        let isRecovered = false;
        const inside: { permit: ProbePermit; since: number }[] = [];
        for (const one of steps) {
          if (one.does === 'enter') {
            now += one.passing;
            const permit = circuit.enter(shared('e'), now);
            if (permit === undefined) continue;
            const rivals = inside.filter(({ since }) => now < since + MAX_PROBE_MS);
            if (!isRecovered) expect(rivals).toEqual([]);
            inside.push({ permit, since: now });
            continue;
          }
          const [ended] = inside.splice(one.which % Math.max(1, inside.length), 1);
          if (ended === undefined) continue;
          if (one.does === 'success' || one.does === 'failure') {
            circuit.record(shared('e'), { kind: one.does }, now);
          }
          ended.permit.end(one.does === 'content' || one.does === 'success');
          isRecovered ||= one.does === 'content' || one.does === 'success';
          if (circuit.health(shared('e'), now).state === 'cooling') {
            // Those inside entered while the candidate was healthy; only what enters from here on counts.
            if (one.does === 'failure') inside.length = 0;
            isRecovered = false;
          }
        }
      }),
    );
  });
});

describe('maxima', () => {
  it('in any sequence, a candidate is ok again within the maximum time', () => {
    const outcome = fc.oneof(
      fc.constant(failure),
      fc.constant<Outcome>({ kind: 'invalid_request' }),
      fc.nat(1e9).map((ms) => limited(ms)),
      fc.constant(limited(null)),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(outcome, fc.nat(40_000)), { maxLength: 2_000 }), (steps) => {
        let now = 0;
        const { circuit, at } = breaker();
        for (const [one, passing] of steps) {
          now += passing;
          circuit.record(shared('e'), one, now);
        }
        expect(at(now + Math.max(MAX_COOLING_MS, MAX_RETRY_AFTER_MS))).toEqual({ state: 'ok' });
      }),
    );
  });

  it('has a maximum of records, and drops the one that failed longest ago', () => {
    const { circuit, at } = breaker(...failing(FAILURES_TO_COOL, 0));
    for (let n = 0; n < MAX_RECORDS - 1; n++) circuit.record(shared(`other ${n}`), failure, 0);
    expect(at(0).state).toBe('cooling');
    circuit.record(shared('one more'), failure, 0);
    expect(at(0)).toEqual({ state: 'ok' });
  });
});

describe('every candidate has a record of its own', () => {
  const cooled = (byokKeyId: string | null) => {
    const circuit = createCircuit();
    for (const [outcome, now] of failing(FAILURES_TO_COOL, 0))
      circuit.record(keyed('e', byokKeyId), outcome, now);
    return circuit;
  };
  const states = (circuit: Circuit) =>
    [null, 'K1', 'K2'].map((byokKeyId) => circuit.health(keyed('e', byokKeyId), 0).state);

  it('a key that fails cools neither another key nor shared capacity, and the other way round', () => {
    expect(states(cooled('K1'))).toEqual(['ok', 'cooling', 'ok']);
    expect(states(cooled(null))).toEqual(['cooling', 'ok', 'ok']);
    expect(cooled('K1').health(keyed('other', 'K1'), 0).state).toBe('ok');
  });

  it('and is counted as cooling until its time is over', () => {
    const circuit = cooled('K1');
    circuit.record(keyed('e', 'K2'), failure, 0);
    expect([0, FIRST_COOLING_MS - 1, FIRST_COOLING_MS].map((now) => circuit.cooling(now))).toEqual([1, 1, 0]);
  });
});
