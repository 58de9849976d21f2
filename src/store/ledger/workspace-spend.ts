import type { WorkspaceSpendReader } from '../../accounts/workspaces/budget.js';
import { limitSelector, spentValue } from '../../ledger/balance/balance-values.js';
import { subjects } from '../../ledger/payer.js';
import type { Database } from '../database/database.js';
import type { LedgerMemory } from './ledger-memory.js';
import { createBalanceReader } from './ledger-rows.js';

export function createWorkspaceSpendReader(
  { query }: Database,
  memory: LedgerMemory | null,
): WorkspaceSpendReader {
  const readBalances = createBalanceReader();
  return {
    async spentWithin(workspaceId, interval, includeByok, nowMs) {
      const names = [subjects.workspace(workspaceId)];
      const [balance] = memory?.stored(names) ?? (await readBalances(query, names));
      if (balance === undefined) return 0n;
      return spentValue(limitSelector({ subject: balance.subject, interval, includeByok }, nowMs), balance);
    },
  };
}
