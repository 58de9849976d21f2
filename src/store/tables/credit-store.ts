import { type Balance, emptyBalance, topUpDelta } from '../../ledger/balance/balance.js';
import { balanceValue, owedSelector } from '../../ledger/balance/balance-values.js';
import type { CreditStore } from '../../ledger/credits.js';
import {
  type BillingPlan,
  type BillingPlanInForce,
  billingPlanInForce,
  subjects,
} from '../../ledger/payer.js';
import type { Database } from '../database/database.js';
import type { LedgerMemory } from '../ledger/ledger-memory.js';
import { createBalanceReader } from '../ledger/ledger-rows.js';
import type { RunInLedger } from '../ledger/ledger-runner.js';
import { preparedInsert, preparedSelect } from '../query/prepared.js';
import { findWorkspaceId } from './workspace-rows.js';

export function createCreditStore(
  { query }: Database,
  runInLedger: RunInLedger,
  memory: LedgerMemory | null,
  planOf: (plan: BillingPlan) => BillingPlanInForce = billingPlanInForce(true),
): CreditStore {
  const readBalances = createBalanceReader();
  const insertEntry = preparedInsert(query, 'ledger_entry');
  const insertNote = preparedInsert(query, 'top_up_note');
  const selectPlan = preparedSelect(query, (db, { accountId }: { readonly accountId: string }) =>
    db.selectFrom('account').select('plan').where('id', '=', accountId).compile(),
  );
  return {
    addTopUp: ({ id, accountId, amountNanoUsd, note, createdAt }) => {
      const account = subjects.account(accountId);
      return runInLedger({ accountId, subjects: [account], reservationId: null }, async (tx) => {
        const workspaceId = await findWorkspaceId(await tx.reader(), accountId, null);
        if (workspaceId === undefined) return undefined;
        const owed = owedSelector(emptyBalance(account));
        const leftNanoUsd = -balanceValue(owed, tx.balance(account));
        if (amountNanoUsd < 0n && leftNanoUsd + amountNanoUsd < 0n) return { isAdded: false, leftNanoUsd };
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
        if (note !== null) tx.add(insertNote, { entry_id: id, note });
        tx.addDelta([account], topUpDelta(amountNanoUsd));
        return { isAdded: true, leftNanoUsd: leftNanoUsd + amountNanoUsd };
      });
    },

    async listTopUps(accountId, limit) {
      const rows = await query
        .selectFrom('ledger_entry')
        .leftJoin('top_up_note', 'top_up_note.entry_id', 'ledger_entry.id')
        .select(['id', 'amount_nano_usd', 'note', 'created_at'])
        .where('account_id', '=', accountId)
        .where('kind', '=', 'top_up')
        .orderBy('created_at', 'desc')
        .orderBy('id')
        .limit(limit)
        .execute();
      return rows.map((row) => ({
        id: row.id,
        accountId,
        amountNanoUsd: row.amount_nano_usd,
        note: row.note,
        createdAt: row.created_at,
      }));
    },

    async balanceOf(accountId) {
      const names = [subjects.account(accountId), subjects.unbilled(accountId)] as const;
      const [row] = await selectPlan({ accountId });
      if (row === undefined) return undefined;
      const found = memory?.stored(names) ?? (await readBalances(query, names));
      const [charged, unbilled] = names.map(
        (name) => found.find(({ subject }) => subject === name) ?? emptyBalance(name),
      ) as [Balance, Balance];
      return {
        plan: planOf(row.plan),
        balance: memory === null ? charged : memory.held.addedTo(charged),
        unbilledNanoUsd: unbilled.total.creditNanoUsd,
      };
    },
  };
}
