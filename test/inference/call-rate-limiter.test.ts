import { expect, it } from 'vitest';
import { CallRateLimiter } from '../../src/inference/counting/call-rate-limiter.js';

it('a key is called at most so often within any minute, and others are not counted with it', () => {
  const calls = new CallRateLimiter(2);
  const taken = [0, 30_000, 30_001, 59_999, 60_000, 60_001, 90_001].map((at) => calls.take('a', at));
  expect(taken).toEqual([true, true, false, false, true, false, true]);
  expect(calls.take('b', 90_001)).toBe(true);
});

it('a clock that is set back lets nobody wait for the time that it had', () => {
  const calls = new CallRateLimiter(1);
  expect([calls.take('a', 1_000_000), calls.take('a', 10), calls.take('a', 11)]).toEqual([true, true, false]);
});
