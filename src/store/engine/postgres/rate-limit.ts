import { type Kysely, type RawBuilder, sql } from 'kysely';
import { decisionOf, type RateLimiter, UNITS_PER_CALL } from '../../../identity/rate-limit.js';
import type { Tables } from '../../schema/schema.js';

/** After a minute every bucket is full, which is the same as having none. */
const BUCKET_TTL_MS = 60_000;

/** How often a process removes such buckets. */
const CALLS_BETWEEN_SWEEPS = 1_000;

/**
 * A rate limiter shared by all processes of the database, with the arithmetic of `createRateLimiter`. It takes one
 * statement per call and uses the server's clock, since those of machines differ. `counting` runs single writing
 * statements; when a connection is lost, a call may count twice.
 */
export function createPostgresRateLimiter(counting: Kysely<Tables>, perMinute: number): RateLimiter {
  let calls = 0;
  return {
    async take(key, nowMs) {
      const { rows } = await take(key, perMinute).execute(counting);
      const [left] = rows;
      if (left === undefined) throw new Error('an upsert gave no row');
      // The caller does not wait; after a failure the next sweep removes the rest.
      if (++calls % CALLS_BETWEEN_SWEEPS === 0) sweep(counting).catch(() => {});
      return decisionOf(left.parts, left.is_allowed === 1, perMinute, nowMs);
    },
  };
}

/** Calls read the clock before they wait for the row lock, so they may apply out of order by the lock timeout. */
const OUT_OF_ORDER_MS = 10_000;

const NOW = sql`(extract(epoch from clock_timestamp()) * 1000)::bigint`;

function take(key: string, perMinute: number): RawBuilder<{ parts: number; is_allowed: number }> {
  const [full, rate, call] = [perMinute * UNITS_PER_CALL, perMinute, UNITS_PER_CALL].map(
    (value) => sql`${value}::bigint`,
  );
  // A clock that was set back refills nothing; counting continues from its new time.
  const refilled = sql`least(${full}, b.parts + greatest(0, excluded.refilled_at - b.refilled_at) * ${rate})`;
  return sql`
    insert into rate_bucket as b (principal, parts, is_allowed, refilled_at)
    values (${key}, ${full} - ${call}, 1, ${NOW})
    on conflict (principal) do update set
      parts = ${refilled} - case when ${refilled} >= ${call} then ${call} else 0 end,
      is_allowed = case when ${refilled} >= ${call} then 1 else 0 end,
      refilled_at = case
        when excluded.refilled_at < b.refilled_at - ${OUT_OF_ORDER_MS}::bigint then excluded.refilled_at
        else greatest(b.refilled_at, excluded.refilled_at) end
    returning parts, is_allowed`;
}

async function sweep(counting: Kysely<Tables>): Promise<void> {
  await sql`delete from rate_bucket where refilled_at < ${NOW} - ${BUCKET_TTL_MS}::bigint`.execute(counting);
}
