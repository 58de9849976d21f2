import { emptyBalance, topUpDelta } from '../../ledger/balance.js';
import type { CreditStore } from '../../ledger/credits.js';
import { subjects } from '../../ledger/payer.js';
import type { Database } from '../database.js';
import { preparedInsert, preparedSelect } from '../engine/prepared.js';
import { findWorkspaceId } from '../tables/workspace-rows.js';
import type { LedgerMemory } from './ledger-memory.js';
import { createBalanceReader } from './ledger-rows.js';
import type { RunInLedger } from './ledger-runner.js';

export function createCreditStore(
  { query }: Database,
  runInLedger: RunInLedger,
  memory: LedgerMemory | null,
): CreditStore {
  const readBalances = createBalanceReader();
  const insertEntry = preparedInsert(query, 'ledger_entry');
  const selectPlan = preparedSelect(query, (db, { accountId }: { readonly accountId: string }) =>
    db.selectFrom('account').select('plan').where('id', '=', accountId).compile(),
  );
  return {
    addTopUp: ({ id, accountId, amountNanoUsd, createdAt }) => {
      const account = subjects.account(accountId);
      return runInLedger({ accountId, subjects: [account], reservationId: null }, async (tx) => {
        const workspaceId = await findWorkspaceId(await tx.reader(), accountId, null);
        if (workspaceId === undefined) return false;
        tx.add(insertEntry, {
          id,
          account_id: accountId,
          workspace_id: workspaceId,
          kind: 'top_up',
          api_key_hash: null,
          user_id: null,
          byok_key_id: null,
          generation_id: null,
          amount_nano_usd: amountNanoUsd,
          created_at: createdAt,
        });
        tx.addDelta([account], topUpDelta(amountNanoUsd));
        return true;
      });
    },

    async balanceOf(accountId) {
      const subject = subjects.account(accountId);
      const [row] = await selectPlan({ accountId });
      if (row === undefined) return undefined;
      const [stored = emptyBalance(subject)] =
        memory?.stored([subject]) ?? (await readBalances(query, [subject]));
      return { plan: row.plan, balance: memory === null ? stored : memory.held.addedTo(stored) };
    },
  };
}
