import type { WorkspaceSpendReader } from '../../accounts/workspaces/budget.js';
import { spentWithin } from '../../ledger/balance.js';
import { subjects } from '../../ledger/payer.js';
import type { Database } from '../database.js';
import { createBalanceReader } from './ledger-rows.js';

export function createWorkspaceSpendReader({ query }: Database): WorkspaceSpendReader {
  const readBalances = createBalanceReader();
  return {
    async spentWithin(workspaceId, interval, includeByok, nowMs) {
      const [balance] = await readBalances(query, [subjects.workspace(workspaceId)]);
      if (balance === undefined) return 0n;
      const { creditNanoUsd, byokNanoUsd } = spentWithin(balance, interval, nowMs);
      return creditNanoUsd + (includeByok ? byokNanoUsd : 0n);
    },
  };
}
