import type { Insertable } from 'kysely';
import { type ActivityRange, DEFAULT_GROUPS } from '../../src/accounts/activity.js';
import type { Database } from '../../src/store/database/database.js';
import { MIGRATIONS } from '../../src/store/migrations/index.js';
import { openDatabase } from '../../src/store/open.js';
import { createActivityReader } from '../../src/store/records/activity-reader.js';
import type { GenerationTable } from '../../src/store/schema/usage-schema.js';
import { optionsFor } from '../support/database.js';
import { NOW, PAYER } from './spending.js';

const EVERYTHING: ActivityRange = {
  groupBy: DEFAULT_GROUPS,
  fromMs: null,
  beforeMs: null,
  apiKeyHash: null,
  workspaceId: null,
  offset: 0,
  limit: 100,
};

/** A record as the version before the rollups writes it. */
function oldRecord(
  id: string,
  fields: Partial<Insertable<GenerationTable>> = {},
): Insertable<GenerationTable> {
  return {
    id,
    account_id: PAYER.accountId,
    workspace_id: PAYER.workspaceId,
    api_key_hash: PAYER.apiKeyHash,
    user_id: PAYER.userId,
    request_id: id,
    model: 'demo/echo',
    provider: 'demo',
    endpoint: null,
    byok_key_id: null,
    streamed: 0,
    cancelled: 0,
    finish_reason: 'stop',
    native_finish_reason: null,
    latency_ms: 2,
    generation_time_ms: 3,
    tokens_prompt: 10,
    tokens_completion: 5,
    native_tokens_reasoning: 2,
    native_tokens_cached: 1,
    usage_nano_usd: 7n,
    upstream_inference_cost_nano_usd: null,
    byok_fee_nano_usd: 0n,
    provider_responses_json: '[]',
    created_at: NOW,
    ...fields,
  };
}

export async function usageOf(database: Database, window: Partial<ActivityRange> = {}) {
  return createActivityReader(database).readActivity(PAYER.accountId, { ...EVERYTHING, ...window });
}

/** Makes a database as the version before a migration leaves it, with these records of one account and some of another. */
export async function fillOldDatabase(
  url: string,
  before: '0007' | '0008',
  records: readonly Partial<Insertable<GenerationTable>>[],
): Promise<void> {
  const old = await openDatabase(url, {
    ...optionsFor(url),
    migrations: MIGRATIONS.filter(({ name }) => name < before),
  });
  const account = (id: string) =>
    ({ id, name: id, plan: 'enterprise', owner_user_id: 'u', created_at: 1 }) as const;
  await old.transact([], async (tx) => {
    await tx
      .insertInto('account')
      .values([account(PAYER.accountId), account('other'), account('idle')])
      .execute();
    const rows = records.map((fields, index) => oldRecord(`old-${index}`, fields));
    const others = Array.from({ length: 10 }, (_, index) =>
      oldRecord(`other-${index}`, { account_id: 'other' }),
    );
    for (let at = 0; at < rows.length; at += 100) {
      await tx
        .insertInto('generation')
        .values(rows.slice(at, at + 100))
        .execute();
    }
    await tx.insertInto('generation').values(others).execute();
  });
  await old.close();
}
