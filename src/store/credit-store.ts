import type { Kysely } from 'kysely';
import type { AccountSums, CreditStore } from '../spend/credits.js';
import type { Database } from './database.js';
import { BYOK_KIND, CREDIT_KINDS } from './ledger-sums.js';
import { preparedSelect } from './prepared.js';
import type { Tables } from './schema.js';
import { findWorkspaceId } from './workspace-rows.js';

/** Credits in the ledger. */
export function creditStore(database: Database): CreditStore {
  const selectSums = preparedSelect(database.query, sumsQuery);
  return {
    addTopUp: ({ id, accountId, amountNanoUsd, createdAt }) =>
      database.transact([], async (tx) => {
        const home = await findWorkspaceId(tx, accountId, null);
        if (home === undefined) return false;
        const values = {
          ...{ id, account_id: accountId, workspace_id: home, kind: 'top_up' as const },
          ...{ api_key_hash: null, user_id: null, byok_key_id: null, generation_id: null },
          ...{ amount_nano_usd: amountNanoUsd, created_at: createdAt },
        };
        await tx.insertInto('ledger_entry').values(values).execute();
        return true;
      }),

    async sumsOf(accountId, byokCostSince): Promise<AccountSums | undefined> {
      const [row] = await selectSums({ accountId, byokCostSince });
      if (row === undefined) return undefined;
      return {
        plan: row.plan,
        creditsNanoUsd: row.credits_nano_usd ?? 0n,
        usageNanoUsd: row.usage_nano_usd ?? 0n,
        byokCostNanoUsd: row.byok_cost_nano_usd ?? 0n,
      };
    },
  };
}

interface SumsOf {
  readonly accountId: string;
  readonly byokCostSince: number;
}

function sumsQuery(db: Kysely<Tables>, { accountId, byokCostSince }: SumsOf) {
  return db
    .selectFrom('account')
    .select(({ selectFrom }) => {
      const entries = selectFrom('ledger_entry')
        .select(({ fn }) => fn.sum<bigint>('amount_nano_usd').as('sum_nano_usd'))
        .where('account_id', '=', accountId);
      return [
        'plan',
        entries.where('kind', '=', 'top_up').as('credits_nano_usd'),
        entries.where('kind', 'in', CREDIT_KINDS).as('usage_nano_usd'),
        entries
          .where('kind', '=', BYOK_KIND)
          .where('created_at', '>=', byokCostSince)
          .as('byok_cost_nano_usd'),
      ];
    })
    .where('id', '=', accountId)
    .compile();
}
