import { Problem } from '../../base/problem.js';
import type { Principal } from '../../identity/principal.js';
import { type RateLimiter, rateKeyOf } from '../../identity/rate-limit.js';

/** An answer that takes headers. */
export interface HeaderTarget {
  setHeader(name: string, value: number): unknown;
}

/**
 * Counts a call of the principal and says on the answer, whatever that will be, what is left: `X-RateLimit-Limit`,
 * `-Remaining` and `-Reset` (Unix ms). Throws a 429 Problem when nothing is left. Anonymous calls are not limited.
 */
export async function limitRate(
  limiter: RateLimiter,
  principal: Principal,
  nowMs: number,
  answer: HeaderTarget,
): Promise<void> {
  if (principal.kind === 'anonymous') return;
  const { isAllowed, limit, remaining, resetAtMs, retryAfterMs } = await limiter.take(
    rateKeyOf(principal),
    nowMs,
  );
  answer.setHeader('X-RateLimit-Limit', limit);
  answer.setHeader('X-RateLimit-Remaining', remaining);
  answer.setHeader('X-RateLimit-Reset', resetAtMs);
  if (isAllowed) return;
  throw new Problem('rate_limited', 'Rate limit exceeded', {
    retryAfterSeconds: Math.ceil(retryAfterMs / 1000),
  });
}
