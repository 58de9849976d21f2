/** Charged records of many API keys, made by SQL, with everything that a settlement would have added to. */
import { sql, type Transaction } from 'kysely';
import { DAY_MS } from '../../../src/base/clock.js';
import { type BalanceDelta, charge, sumDeltas, topUpDelta } from '../../../src/ledger/balance/balance.js';
import { subjects, subjectsOf } from '../../../src/ledger/payer.js';
import type { Database } from '../../../src/store/database/database.js';
import { createDeltaWriter } from '../../../src/store/ledger/ledger-transaction.js';
import type { Tables } from '../../../src/store/schema/schema.js';
import { addToRollups } from '../../../src/store/usage/usage-fill.js';

/** An API key that has records. */
export interface RecordedKey {
  readonly accountId: string;
  readonly workspaceId: string;
  readonly apiKeyHash: string;
  readonly userId: string;
}

const YEAR_MS = 365 * DAY_MS;

/** Every second record is of one in a thousand keys; the others take turns. */
const SELDOM_PER_BUSY = 1_000;

/** Leads from one number to one far from it; a prime. */
const STRIDE = 7_919;

const MODELS = 3;
const CHARGE_NANO_USD = 1_000n;

/** Rows per statement: PostgreSQL cancels one that takes ten seconds. */
const ROWS_AT_ONCE = 20_000;

/** Records per transaction: SQLite logs every page of an index that a transaction has changed. */
const RECORDS_AT_ONCE = 200_000;

const OWNERS_AT_ONCE = 1_000;
const TOTALS_AT_ONCE = 256;

/** Writes records of these keys, evenly over the year before now. The keys are of one account and one member. */
export async function addRecords(
  database: Database,
  count: number,
  keys: readonly RecordedKey[],
): Promise<void> {
  const [payer] = keys;
  if (payer === undefined) return;
  const now = Date.now();
  const period = Math.floor(YEAR_MS / count);
  const busy = Math.ceil(keys.length / SELDOM_PER_BUSY);
  const paid = BigInt(count) * CHARGE_NANO_USD;
  const spent = new Map([[subjects.account(payer.accountId), topUpDelta(paid)]]);
  await writeOwners(database, keys);
  for (let first = 0; first < count; ) {
    const days: Day[] = [];
    for (let written = 0; first < count && written < RECORDS_AT_ONCE; ) {
      const instant = now - first * period;
      const start = instant - (instant % DAY_MS);
      const end = Math.min(count, Math.floor((now - start) / period) + 1);
      days.push({ start, first, end });
      written += end - first;
      first = end;
    }
    await database.transact([], async (tx) => {
      for (const day of days) await insertDay(tx, day, { payer, now, period, busy, keys: keys.length });
    });
    for (const { start, first, end } of days) {
      const records = new Map<number, number>();
      for (let n = first; n < end; n++) {
        const number = keyOf(n, busy, keys.length);
        records.set(number, (records.get(number) ?? 0) + 1);
      }
      for (const [number, count] of records) {
        const delta = chargeOf(count, start);
        for (const subject of subjectsOf({ ...(keys[number] ?? payer), runId: null, endUser: null })) {
          const known = spent.get(subject);
          spent.set(subject, known === undefined ? delta : sumDeltas(known, delta));
        }
      }
    }
  }
  await payIn(database, payer, paid, now);
  await writeTotals(database, spent);
  await database.transact([], (tx) => sql`drop table bench_owner`.execute(tx));
}

function chargeOf(records: number, at: number): BalanceDelta {
  return charge({ creditNanoUsd: BigInt(records) * CHARGE_NANO_USD, byokNanoUsd: 0n }, at);
}

async function writeTotals(database: Database, spent: ReadonlyMap<string, BalanceDelta>): Promise<void> {
  const writesOf = createDeltaWriter(database.query);
  const all = [...spent];
  for (let first = 0; first < all.length; first += TOTALS_AT_ONCE) {
    const writes = writesOf(new Map(all.slice(first, first + TOTALS_AT_ONCE)));
    await database.transact([], async (tx) => {
      for (const write of writes) await tx.executeQuery(write);
    });
  }
}

/** As the statement of `insertRecords` chooses. */
function keyOf(n: number, busy: number, keys: number): number {
  return n % 2 === 0 ? (n / 2) % busy : (((n - 1) / 2) * STRIDE) % keys;
}

/** A table that leads from the number of a key to what a record says of it; dropped again. */
async function writeOwners(database: Database, keys: readonly RecordedKey[]): Promise<void> {
  await database.transact([], async (tx) => {
    await sql`create table bench_owner (number integer primary key, api_key_hash text, workspace_id text)`.execute(
      tx,
    );
    for (let first = 0; first < keys.length; first += OWNERS_AT_ONCE) {
      const rows = keys
        .slice(first, first + OWNERS_AT_ONCE)
        .map(({ apiKeyHash, workspaceId }, index) => sql`(${first + index}, ${apiKeyHash}, ${workspaceId})`);
      await sql`insert into bench_owner values ${sql.join(rows)}`.execute(tx);
    }
  });
}

/** Records by their numbers, the newest of which is the first; of one UTC day. */
interface Day {
  readonly start: number;
  readonly first: number;
  readonly end: number;
}

interface Pattern {
  readonly payer: RecordedKey;
  readonly now: number;
  readonly period: number;
  readonly busy: number;
  readonly keys: number;
}

async function insertDay(
  tx: Transaction<Tables>,
  { start, first, end }: Day,
  pattern: Pattern,
): Promise<void> {
  for (let part = first; part < end; part += ROWS_AT_ONCE) {
    await insertRecords(tx, part, Math.min(part + ROWS_AT_ONCE, end), pattern);
  }
  const ofDay = sql`account_id = ${pattern.payer.accountId} and created_at between ${start} and ${start + DAY_MS - 1}`;
  await addToRollups(tx, sql`${ofDay} and id like 'gen-many-%'`);
}

async function insertRecords(
  tx: Transaction<Tables>,
  from: number,
  to: number,
  { payer, now, period, busy, keys }: Pattern,
): Promise<void> {
  const { accountId, userId } = payer;
  const counted = sql`
    with recursive counted(n) as (
      select cast(${sql.lit(from)} as bigint) union all select n + 1 from counted where n < ${sql.lit(to - 1)}
    ), recorded as (
      select n, ${sql.lit(now)} - n * ${sql.lit(period)} as instant, api_key_hash, workspace_id from counted
      join bench_owner on number = case when n % 2 = 0 then (n / 2) % ${sql.lit(busy)}
        else (n / 2 * ${sql.lit(STRIDE)}) % ${sql.lit(keys)} end
    )`;
  await sql`
    insert into generation (id, account_id, workspace_id, api_key_hash, user_id, request_id, model, provider,
      endpoint, byok_key_id, streamed, cancelled, finish_reason, native_finish_reason, latency_ms,
      generation_time_ms, tokens_prompt, tokens_completion, native_tokens_reasoning, native_tokens_cached,
      usage_nano_usd, upstream_inference_cost_nano_usd, byok_fee_nano_usd, provider_responses_json, created_at, status, api)
    ${counted} select 'gen-many-' || n, ${accountId}, workspace_id, api_key_hash, ${userId}, 'req-' || n,
      'test/m' || (n % ${sql.lit(MODELS)}), 'demo', 'demo/e', null, 0, 0, 'stop', 'stop', 1, 1,
      10, 10, 0, 0, ${sql.lit(Number(CHARGE_NANO_USD))}, null, 0, '[]', instant, 'ok', 'chat' from recorded`.execute(
    tx,
  );
  await sql`
    insert into ledger_entry (id, account_id, workspace_id, api_key_hash, user_id, byok_key_id, generation_id, kind,
      amount_nano_usd, created_at)
    ${counted} select 'entry-' || n, ${accountId}, workspace_id, api_key_hash, ${userId}, null, 'gen-many-' || n,
      'credit_spend', ${sql.lit(Number(CHARGE_NANO_USD))}, instant from recorded`.execute(tx);
}

/** What the records are charged, so that the account can go on. */
async function payIn(
  database: Database,
  { accountId, workspaceId }: RecordedKey,
  amountNanoUsd: bigint,
  now: number,
): Promise<void> {
  await database.transact([], (tx) =>
    tx
      .insertInto('ledger_entry')
      .values({
        id: 'entry-top-up',
        account_id: accountId,
        workspace_id: workspaceId,
        api_key_hash: null,
        user_id: null,
        byok_key_id: null,
        generation_id: null,
        kind: 'top_up',
        amount_nano_usd: amountNanoUsd,
        created_at: now,
      })
      .execute(),
  );
}
