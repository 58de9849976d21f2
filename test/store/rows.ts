import type { Insertable } from 'kysely';
import type { Database } from '../../src/store/database/database.js';
import { rebuildTotals } from '../../src/store/ledger/totals.js';
import type { LedgerEntryTable } from '../../src/store/schema/schema.js';

/** A ledger entry; it references nothing, so no other rows are needed. */
export function entry(id: string, over: Partial<LedgerEntryTable> = {}): Insertable<LedgerEntryTable> {
  return {
    id,
    account_id: 'account',
    workspace_id: 'workspace',
    api_key_hash: null,
    user_id: null,
    byok_key_id: null,
    generation_id: null,
    kind: 'credit_spend',
    amount_nano_usd: 1n,
    created_at: 1_760_000_000_000,
    run_id: null,
    end_user: null,
    ...over,
  };
}

export async function entryIds(database: Database): Promise<string[]> {
  const rows = await database.query.selectFrom('ledger_entry').select('id').orderBy('id').execute();
  return rows.map((row) => row.id);
}

/** Inserts entries and rebuilds the totals. */
export async function insertEntries(
  database: Database,
  rows: readonly Insertable<LedgerEntryTable>[],
): Promise<void> {
  await database.transact([], async (tx) => {
    await tx.insertInto('ledger_entry').values(rows).execute();
    await rebuildTotals(tx);
  });
}
