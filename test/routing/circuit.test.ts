import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createCircuit,
  FAILURES_TO_COOL,
  FIRST_COOLING_MS,
  LONGEST_COOLING_MS,
  LONGEST_RETRY_AFTER_MS,
  MAX_REMEMBERED,
  type Outcome,
} from '../../src/routing/circuit.js';

const failure: Outcome = { kind: 'failure' };
const success: Outcome = { kind: 'success' };
const limited = (retryAfterMs: number | null): Outcome => ({ kind: 'rate_limited', retryAfterMs });

/** A breaker about one endpoint without key, told outcomes at instants. */
function breaker(...outcomes: (readonly [Outcome, number])[]) {
  const circuit = createCircuit();
  for (const [outcome, now] of outcomes) circuit.record('e', null, outcome, now);
  return { circuit, at: (now: number) => circuit.standing('e', null, now) };
}

const failing = (times: number, now: number) => Array.from({ length: times }, () => [failure, now] as const);

describe('interface section 6: what keeps failing is tried last for a short, growing time', () => {
  it('cools after several failures in a row, and is back after the time', () => {
    expect(breaker(...failing(FAILURES_TO_COOL - 1, 100)).at(100)).toEqual({ state: 'ok' });
    const { at } = breaker(...failing(FAILURES_TO_COOL, 100));
    expect(at(100)).toEqual({ state: 'cooling', until: 100 + FIRST_COOLING_MS });
    expect(at(100 + FIRST_COOLING_MS - 1).state).toBe('cooling');
    expect(at(100 + FIRST_COOLING_MS)).toEqual({ state: 'ok' });
  });

  it('one more failure after that cools again, twice as long, up to the bound', () => {
    const { circuit, at } = breaker(...failing(FAILURES_TO_COOL, 0));
    let now = FIRST_COOLING_MS;
    const lengths: number[] = [];
    for (let round = 0; round < 5; round++) {
      circuit.record('e', null, failure, now);
      const standing = at(now);
      if (standing.state !== 'cooling') throw new Error('expected to cool');
      lengths.push(standing.until - now);
      now = standing.until;
    }
    expect(lengths).toEqual([10_000, 20_000, 30_000, 30_000, 30_000]);
  });

  it('a success forgets everything', () => {
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

  it('keys and endpoints are told apart', () => {
    const { circuit } = breaker(...failing(FAILURES_TO_COOL, 0));
    expect(circuit.standing('e', 'key', 0)).toEqual({ state: 'ok' });
    expect(circuit.standing('f', null, 0)).toEqual({ state: 'ok' });
  });
});

describe('Retry-After is respected per key', () => {
  it('from the first 429 on, bounded', () => {
    expect(breaker([limited(7_000), 100]).at(100)).toEqual({ state: 'cooling', until: 7_100 });
    expect(breaker([limited(3_600_000), 0]).at(0)).toEqual({
      state: 'cooling',
      until: LONGEST_RETRY_AFTER_MS,
    });
  });

  it('is not shortened by a later, shorter one', () => {
    expect(breaker([limited(9_000), 0], [limited(1_000), 0]).at(0)).toEqual({
      state: 'cooling',
      until: 9_000,
    });
  });

  it('a 429 without it counts as a failure', () => {
    const told = Array.from({ length: FAILURES_TO_COOL }, () => [limited(null), 0] as const);
    expect(breaker(...told.slice(1)).at(0)).toEqual({ state: 'ok' });
    expect(breaker(...told).at(0).state).toBe('cooling');
  });
});

describe('bounds', () => {
  it('whatever happens, a way is ok again within the longest time', () => {
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
          circuit.record('e', null, one, now);
        }
        expect(at(now + Math.max(LONGEST_COOLING_MS, LONGEST_RETRY_AFTER_MS))).toEqual({ state: 'ok' });
      }),
    );
  });

  it('remembers so many ways, and forgets the one that failed longest ago', () => {
    const { circuit, at } = breaker(...failing(FAILURES_TO_COOL, 0));
    for (let n = 0; n < MAX_REMEMBERED - 1; n++) circuit.record(`other ${n}`, null, failure, 0);
    expect(at(0).state).toBe('cooling');
    circuit.record('one more', null, failure, 0);
    expect(at(0)).toEqual({ state: 'ok' });
  });
});
