import type { WorkspaceSpendReader } from '../accounts/budget.js';
import type { Database } from './database.js';
import type { LedgerEntryTable } from './schema.js';

type Kind = LedgerEntryTable['kind'];

/** What is charged to credits (interface section 5). */
export const CREDIT_KINDS = ['credit_spend', 'byok_fee'] as const satisfies readonly Kind[];

/** The list-price cost of usage over BYOK keys. */
export const BYOK_KIND = 'byok_cost' satisfies Kind;

/** What workspaces have spent, as sums over the ledger. */
export function workspaceSpendReader(database: Database): WorkspaceSpendReader {
  return {
    async spentSince(workspaceId, sinceMs, includeByok) {
      const row = await database.query
        .selectFrom('ledger_entry')
        .where('workspace_id', '=', workspaceId)
        .where('kind', 'in', includeByok ? [...CREDIT_KINDS, BYOK_KIND] : [...CREDIT_KINDS])
        .$if(sinceMs !== null, (query) => query.where('created_at', '>=', sinceMs))
        .select((eb) => eb.fn.sum<bigint | null>('amount_nano_usd').as('spent_nano_usd'))
        .executeTakeFirst();
      return row?.spent_nano_usd ?? 0n;
    },
  };
}
