import { sql } from 'kysely';
import type { Database } from '../../src/store/database/database.js';
import { totalRow } from '../../src/store/ledger/ledger-rows.js';
import { ledgerWithoutAttribution, rebuildTotals } from '../../src/store/ledger/totals.js';

/** Rows per statement: PostgreSQL cancels one that takes ten seconds. */
const ROWS_AT_ONCE = 20_000;

interface Payer {
  readonly accountId: string;
  readonly workspaceId: string;
  readonly apiKeyHash: string;
  readonly ownerUserId: string;
}

/**
 * Writes charged generations as the version before the rollups did, into a database of its schema: one for each second
 * up to `newestAt`, each at 1,000 nano-USD.
 */
export async function addOldGenerations(
  database: Database,
  count: number,
  newestAt: number,
  payer: Payer,
): Promise<void> {
  const { accountId, workspaceId, apiKeyHash, ownerUserId } = payer;
  const names = sql`${sql.lit(accountId)}, ${sql.lit(workspaceId)}, ${sql.lit(apiKeyHash)}, ${sql.lit(ownerUserId)}`;
  for (let first = 0; first < count; first += ROWS_AT_ONCE) {
    const last = Math.min(first + ROWS_AT_ONCE, count) - 1;
    const numbers = sql`with recursive counted(n) as
      (select ${sql.lit(first)} union all select n + 1 from counted where n < ${sql.lit(last)})`;
    const instant = sql`${sql.lit(newestAt)} - cast(n as bigint) * 1000`;
    await database.transact([], async (tx) => {
      await sql`
        insert into generation (id, account_id, workspace_id, api_key_hash, user_id, request_id, model, provider,
          endpoint, byok_key_id, streamed, cancelled, finish_reason, native_finish_reason, latency_ms,
          generation_time_ms, tokens_prompt, tokens_completion, native_tokens_reasoning, native_tokens_cached,
          usage_nano_usd, upstream_inference_cost_nano_usd, byok_fee_nano_usd, provider_responses_json, created_at)
        ${numbers} select 'gen-old-' || n, ${names}, 'req-' || n, 'test/m1', 'demo', 'demo/e', null, 0, 0,
          'stop', 'stop', 1, 1, 10, 10, 0, 0, 1000, null, 0, '[]', ${instant} from counted`.execute(tx);
      await sql`
        insert into ledger_entry (id, account_id, workspace_id, api_key_hash, user_id, byok_key_id, generation_id, kind,
          amount_nano_usd, created_at)
        ${numbers} select 'entry-old-' || n, ${names}, null, 'gen-old-' || n, 'credit_spend', 1000, ${instant}
        from counted`.execute(tx);
    });
  }
  await database.transact([], (tx) =>
    rebuildTotals(tx, ledgerWithoutAttribution, (balance) => totalRow(balance.subject, balance)),
  );
}
