import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLatencyStatistics, type Measurement } from '../../src/routing/health/latency-statistics.js';

const candidate = (endpointId: string, accountId = 'mine', byokKeyId: string | null = null) => ({
  accountId,
  endpointId,
  byokKeyId,
});

const MINUTE_MS = 60_000;
const START = Date.UTC(2026, 0, 5, 12, 30, 7, 123);

function start(at = START) {
  const clock = { at, now: () => clock.at };
  const statistics = createLatencyStatistics(clock);
  const measure = (measured: Partial<Measurement> = {}) =>
    statistics.record({
      ...candidate('a'),
      latencyMs: 100,
      generationTimeMs: 1000,
      completionTokens: 50,
      ...measured,
    });
  return { clock, statistics, measure };
}

describe('what was measured in the last 5 minutes', () => {
  it('is undefined for an endpoint that did not answer', () => {
    const { statistics, measure } = start();
    measure();
    expect(statistics.of(candidate('b'))).toBeUndefined();
  });

  it('is the mean latency, and tokens over the time in which they came', () => {
    const { statistics, measure } = start();
    measure({ latencyMs: 100, generationTimeMs: 1000, completionTokens: 90 });
    measure({ latencyMs: 300, generationTimeMs: 3000, completionTokens: 110 });
    expect(statistics.of(candidate('a'))).toEqual({ latencyMs: 200, tokensPerSecond: 50 });
  });

  it('has no throughput while no tokens came, and a finite one when they came at once', () => {
    const { statistics, measure } = start();
    measure({ completionTokens: 0 });
    expect(statistics.of(candidate('a'))).toEqual({ latencyMs: 100, tokensPerSecond: null });
    measure({ generationTimeMs: 0, completionTokens: 5 });
    expect(statistics.of(candidate('a'))?.tokensPerSecond).toBe(5000);
  });

  it('slides: older measurements no longer count, and in the end none is left', () => {
    const { clock, statistics, measure } = start();
    measure({ latencyMs: 100 });
    clock.at += 3 * MINUTE_MS;
    measure({ latencyMs: 300 });
    expect(statistics.of(candidate('a'))?.latencyMs).toBe(200);
    clock.at += 2 * MINUTE_MS;
    expect(statistics.of(candidate('a'))?.latencyMs).toBe(300);
    clock.at += 3 * MINUTE_MS;
    expect(statistics.of(candidate('a'))).toBeUndefined();
    clock.at += 60 * MINUTE_MS;
    measure({ latencyMs: 7 });
    expect(statistics.of(candidate('a'))?.latencyMs).toBe(7);
  });

  it('counts all of the last 4 minutes 50, and nothing older than 5 minutes', () => {
    const ages = fc.array(fc.integer({ min: 0, max: 11 * MINUTE_MS }), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(ages, fc.integer({ min: 0, max: MINUTE_MS }), (measuredAt, offset) => {
        const { clock, statistics, measure } = start(START + offset);
        const end = clock.at + 11 * MINUTE_MS;
        for (const age of measuredAt.toSorted((a, b) => b - a)) {
          clock.at = end - age;
          measure({ latencyMs: age });
        }
        clock.at = end;
        const certain = measuredAt.filter((age) => age <= 4 * MINUTE_MS + 50_000);
        const latency = statistics.of(candidate('a'))?.latencyMs;
        if (certain.length > 0) expect(latency).toBeDefined();
        if (latency === undefined) return;
        const counted = measuredAt.filter((age) => age < 5 * MINUTE_MS);
        const [min, max] = [certain, counted].map(
          (list) => list.reduce((sum, age) => sum + age, 0) / list.length,
        );
        expect(latency).toBeGreaterThanOrEqual(min || 0);
        expect(latency).toBeLessThanOrEqual(max ?? 0);
      }),
    );
  });

  it('is bounded: whoever has measured the most loses the oldest first', () => {
    const { statistics, measure } = start();
    measure(candidate('a', 'quiet'));
    measure(candidate('first'));
    for (let index = 0; index < 9_999; index += 1) measure(candidate(`e${index}`));
    expect(statistics.of(candidate('first'))).toBeUndefined();
    expect(statistics.of(candidate('e0'))).toBeDefined();
    expect(statistics.of(candidate('a', 'quiet'))).toBeDefined();
  });
});

describe('what one account has measured orders nobody else’s attempts', () => {
  const of = (latencyMs: number, accountId: string, byokKeyId: string | null = null) => ({
    ...candidate('a', accountId, byokKeyId),
    latencyMs,
    generationTimeMs: latencyMs,
    completionTokens: 1,
  });

  it('on shared capacity it is the account’s own; of three others their median, and of five the median of all', () => {
    const { statistics, measure } = start();
    measure(of(9_000, 'x'));
    measure(of(9_000, 'y'));
    expect(statistics.of(candidate('a'))).toBeUndefined();
    measure(of(200, 'z'));
    expect(statistics.of(candidate('a'))?.latencyMs).toBe(9_000);
    measure(of(100, 'mine'));
    expect(statistics.of(candidate('a'))?.latencyMs).toBe(100);
    measure(of(300, 'w'));
    expect(statistics.of(candidate('a'))).toEqual({
      latencyMs: 300,
      tokensPerSecond: expect.closeTo(1000 / 300),
    });
  });

  it('two accounts together leave whoever has measured it in the range of those who are not with them', () => {
    const latency = fc.integer({ min: 1, max: 600_000 });
    const honest = fc.array(latency, { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(honest, latency, latency, (measuredBy, one, other) => {
        const { statistics, measure } = start();
        for (const [index, latencyMs] of measuredBy.entries()) measure(of(latencyMs, `honest ${index}`));
        measure(of(one, 'hostile'));
        measure(of(other, 'accomplice'));
        const measured = statistics.of(candidate('a', 'honest 0'))?.latencyMs ?? 0;
        expect(measured).toBeGreaterThanOrEqual(Math.min(...measuredBy));
        expect(measured).toBeLessThanOrEqual(Math.max(...measuredBy));
      }),
    );
  });

  it('however extreme, and however often, one account can’t leave the range of the others', () => {
    const latency = fc.integer({ min: 1, max: 600_000 });
    fc.assert(
      fc.property(fc.array(latency, { minLength: 3, maxLength: 3 }), fc.array(latency), (honest, hostile) => {
        const { statistics, measure } = start();
        for (const [index, latencyMs] of honest.entries()) measure(of(latencyMs, `honest ${index}`));
        for (const latencyMs of hostile) measure(of(latencyMs, 'hostile'));
        const measured = statistics.of(candidate('a'))?.latencyMs ?? 0;
        expect(measured).toBeGreaterThanOrEqual(Math.min(...honest));
        expect(measured).toBeLessThanOrEqual(Math.max(...honest));
      }),
    );
  });

  it('with a key it is that key’s alone', () => {
    const { statistics, measure } = start();
    for (const account of ['x', 'y', 'z']) measure(of(1, account, `key of ${account}`));
    expect(statistics.of(candidate('a'))).toBeUndefined();
    expect(statistics.of(candidate('a', 'x', 'key of x'))?.latencyMs).toBe(1);
    expect(statistics.of(candidate('a', 'x', 'another'))).toBeUndefined();
  });
});
