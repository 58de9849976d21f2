import { type Kysely, type RawBuilder, sql } from 'kysely';
import { decisionOf, type RateLimiter, UNITS_PER_CALL } from '../../../identity/rate-limit.js';
import type { Tables } from '../../schema.js';

/** A full bucket is as good as none, and after a minute every one is full. */
const FORGOTTEN_AFTER_MS = 60_000;

/** How often a process removes such buckets, in calls that it counts. */
const CALLS_BETWEEN_SWEEPS = 1_000;

/**
 * A limiter for all processes on the database together, with the arithmetic of `createRateLimiter`: one statement a
 * call, by the server's clock, since those of machines differ. `counting` runs single statements that write; where a
 * connection is lost a call may count twice.
 */
export function createPostgresRateLimiter(counting: Kysely<Tables>, perMinute: number): RateLimiter {
  let calls = 0;
  return {
    async take(key, nowMs) {
      const { rows } = await take(key, perMinute).execute(counting);
      const [left] = rows;
      if (left === undefined) throw new Error('an upsert gave no row');
      // What can't be swept now is swept later, and the caller does not wait for it.
      if (++calls % CALLS_BETWEEN_SWEEPS === 0) sweep(counting).catch(() => {});
      return decisionOf(left.parts, left.is_allowed === 1, perMinute, nowMs);
    },
  };
}

/** Calls look at the clock before they wait for each other, which takes no longer than a lock may. */
const OUT_OF_ORDER_MS = 10_000;

const NOW = sql`(extract(epoch from clock_timestamp()) * 1000)::bigint`;

function take(key: string, perMinute: number): RawBuilder<{ parts: number; is_allowed: number }> {
  const [full, rate, call] = [perMinute * UNITS_PER_CALL, perMinute, UNITS_PER_CALL].map(
    (value) => sql`${value}::bigint`,
  );
  // A clock that was set back refills nothing, and counts on from where it stands.
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
  await sql`delete from rate_bucket where refilled_at < ${NOW} - ${FORGOTTEN_AFTER_MS}::bigint`.execute(
    counting,
  );
}
