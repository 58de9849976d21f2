import { sql } from 'kysely';
import type { Database } from '../../src/store/database/database.js';
import { addToRollups } from '../../src/store/usage/usage-fill.js';

interface Payer {
  readonly accountId: string;
  readonly workspaceId: string;
  readonly apiKeyHash: string;
  readonly ownerUserId: string;
}

/** Rows per statement: PostgreSQL cancels one that takes ten seconds. */
const ROWS_AT_ONCE = 20_000;

/** Writes charged generations directly to the database: one in each of these periods, the newest of them now. */
export async function addGenerations(
  database: Database,
  count: number,
  payer: Payer,
  periodMs = 1_000,
): Promise<void> {
  const { accountId, workspaceId, apiKeyHash, ownerUserId } = payer;
  const now = Date.now();
  for (let first = 0; first < count; first += ROWS_AT_ONCE) {
    const last = Math.min(first + ROWS_AT_ONCE, count) - 1;
    const numbers = sql`with recursive counted(n) as
      (select ${sql.lit(first)} union all select n + 1 from counted where n < ${sql.lit(last)})`;
    const instant = sql`${sql.lit(now)} - cast(n as bigint) * ${sql.lit(periodMs)}`;
    await database.transact([], async (tx) => {
      await sql`
        insert into generation (id, account_id, workspace_id, api_key_hash, user_id, request_id, model, provider,
          endpoint, byok_key_id, streamed, cancelled, finish_reason, native_finish_reason, latency_ms,
          generation_time_ms, tokens_prompt, tokens_completion, native_tokens_reasoning, native_tokens_cached,
          usage_nano_usd, upstream_inference_cost_nano_usd, byok_fee_nano_usd, provider_responses_json, created_at, status, api)
        ${numbers} select 'gen-many-' || n, ${sql.lit(accountId)}, ${sql.lit(workspaceId)}, ${sql.lit(apiKeyHash)},
          ${sql.lit(ownerUserId)}, 'req-' || n, 'test/m' || (n % 5), 'demo', 'demo/e', null, 0, 0, 'stop', 'stop', 1, 1,
          10, 10, 0, 0, 1000, null, 0, '[]', ${instant}, 'ok', 'chat' from counted`.execute(tx);
      const [newest, oldest] = [now - first * periodMs, now - last * periodMs];
      await addToRollups(
        tx,
        sql`account_id = ${accountId} and created_at between ${oldest} and ${newest} and id like 'gen-many-%'`,
      );
      await sql`
        insert into ledger_entry (id, account_id, workspace_id, api_key_hash, user_id, byok_key_id, generation_id, kind,
          amount_nano_usd, created_at)
        ${numbers} select 'entry-' || n, ${sql.lit(accountId)}, ${sql.lit(workspaceId)}, ${sql.lit(apiKeyHash)},
          ${sql.lit(ownerUserId)}, null, 'gen-many-' || n, 'credit_spend', 1000, ${instant} from counted`.execute(
        tx,
      );
    });
  }
}
