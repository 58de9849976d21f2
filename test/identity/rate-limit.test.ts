import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRateLimiter, rateKeyOf } from '../../src/identity/rate-limit.js';

const START = 1_750_000_000_000;

describe('the rate limit of administrative calls', () => {
  it('allows the calls of a minute at once, and no more', async () => {
    const limiter = createRateLimiter(3);
    const decisions = [];
    for (let call = 0; call < 4; call += 1) decisions.push(await limiter.take('p', START));
    expect(decisions).toEqual([
      { isAllowed: true, limit: 3, remaining: 2, resetAtMs: START + 20_000, retryAfterMs: 0 },
      { isAllowed: true, limit: 3, remaining: 1, resetAtMs: START + 40_000, retryAfterMs: 0 },
      { isAllowed: true, limit: 3, remaining: 0, resetAtMs: START + 60_000, retryAfterMs: 0 },
      { isAllowed: false, limit: 3, remaining: 0, resetAtMs: START + 60_000, retryAfterMs: 20_000 },
    ]);
  });

  it('refills evenly over the minute, and not before Retry-After', async () => {
    const limiter = createRateLimiter(2);
    const allowed = async (afterMs: number) => (await limiter.take('p', START + afterMs)).isAllowed;
    expect([await allowed(0), await allowed(0), await allowed(29_999)]).toEqual([true, true, false]);
    expect([await allowed(30_000), await allowed(30_000)]).toEqual([true, false]);
    expect([await allowed(300_000), await allowed(300_000), await allowed(300_000)]).toEqual([
      true,
      true,
      false,
    ]);
  });

  it('asks a caller to wait no longer than until the next call is refilled', async () => {
    const limiter = createRateLimiter(6);
    for (let call = 0; call < 6; call += 1) await limiter.take('p', START);
    expect(await limiter.take('p', START + 4_000)).toMatchObject({ isAllowed: false, retryAfterMs: 6_000 });
  });

  it('counts each principal separately', async () => {
    const limiter = createRateLimiter(1);
    await limiter.take('a', START);
    expect((await limiter.take('a', START)).isAllowed).toBe(false);
    expect((await limiter.take('b', START)).isAllowed).toBe(true);
  });

  it('does not refill when the clock is set back', async () => {
    const limiter = createRateLimiter(1);
    await limiter.take('p', START);
    expect(await limiter.take('p', START - 3_600_000)).toMatchObject({
      isAllowed: false,
      retryAfterMs: 60_000,
    });
    expect((await limiter.take('p', START - 3_540_000)).isAllowed).toBe(true);
  });

  it('allows a call after Retry-After, and in any span of time no more than bucket plus refill', async () => {
    const calls = fc.array(fc.integer({ min: 0, max: 30_000 }), { minLength: 1, maxLength: 200 });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 700 }), calls, async (perMinute, pauses) => {
        const limiter = createRateLimiter(perMinute);
        const admitted: number[] = [];
        let nowMs = START;
        for (const pause of pauses) {
          nowMs += pause % 7 === 0 ? 0 : pause;
          const decision = await limiter.take('p', nowMs);
          expect(decision.remaining).toBeLessThan(perMinute);
          if (decision.isAllowed) admitted.push(nowMs);
          else {
            nowMs += decision.retryAfterMs;
            expect((await limiter.take('p', nowMs)).isAllowed).toBe(true);
            admitted.push(nowMs);
          }
        }
        for (let from = 0; from < admitted.length; from += 1) {
          for (let to = from; to < admitted.length; to += 1) {
            const spanMs = (admitted[to] ?? 0) - (admitted[from] ?? 0);
            if ((to - from + 1) * 60_000 > perMinute * (60_000 + spanMs)) throw new Error('too many');
          }
        }
      }),
      { numRuns: 50 },
    );
  });

  it('counts principals of different kinds separately, even with the same identifier', () => {
    const account = { accountId: 'a', userId: 'u' };
    const keys = [
      rateKeyOf({ kind: 'management_key', hash: 'x', ...account }),
      rateKeyOf({ kind: 'client', clientId: 'x', ...account }),
      rateKeyOf({
        kind: 'api_key',
        keyHash: 'x',
        workspaceId: 'w',
        plan: 'enterprise',
        limit: null,
        endUsers: null,
        cacheTtl: null,
        ...account,
      }),
      rateKeyOf({ kind: 'operator_key', hash: 'x' }),
    ];
    expect(keys).toEqual(['management_key:x', 'client:x', 'api_key:x', 'operator_key:x']);
  });
});
