import { emptyBalance, gift } from '../spend/balance.js';
import type { CreditStore } from '../spend/credits.js';
import { subjects } from '../spend/payer.js';
import type { Bookkeeping } from './books.js';
import type { Database } from './database.js';
import { preparedInsert, preparedSelect } from './prepared.js';
import { balanceReader } from './spend-rows.js';
import { findWorkspaceId } from './workspace-rows.js';

/** Credits in the ledger. */
export function creditStore({ query }: Database, keepBooks: Bookkeeping): CreditStore {
  const readBalances = balanceReader();
  const enter = preparedInsert(query, 'ledger_entry');
  const selectPlan = preparedSelect(query, (db, { accountId }: { readonly accountId: string }) =>
    db.selectFrom('account').select('plan').where('id', '=', accountId).compile(),
  );
  return {
    addTopUp: ({ id, accountId, amountNanoUsd, createdAt }) => {
      const account = subjects.account(accountId);
      return keepBooks({ accountId, subjects: [account], reservationId: null }, async (books) => {
        const home = await findWorkspaceId(await books.reader(), accountId, null);
        if (home === undefined) return false;
        const values = {
          ...{ id, account_id: accountId, workspace_id: home, kind: 'top_up' as const },
          ...{ api_key_hash: null, user_id: null, byok_key_id: null, generation_id: null },
          ...{ amount_nano_usd: amountNanoUsd, created_at: createdAt },
        };
        books.add(enter, values);
        books.move([account], gift(amountNanoUsd));
        return true;
      });
    },

    async balanceOf(accountId) {
      const subject = subjects.account(accountId);
      const [row] = await selectPlan({ accountId });
      if (row === undefined) return undefined;
      const [balance = emptyBalance(subject)] = await readBalances(query, [subject]);
      return { plan: row.plan, balance };
    },
  };
}
