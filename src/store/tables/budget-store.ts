import type { Insertable, Kysely, Selectable } from 'kysely';
import {
  BUDGET_INTERVALS,
  type BudgetStore,
  type WorkspaceBudget,
  type WorkspaceBudgets,
} from '../../accounts/workspaces/budget.js';
import type { Workspace } from '../../accounts/workspaces/workspace.js';
import type { Database } from '../database/database.js';
import type { Tables, WorkspaceBudgetTable } from '../schema/schema.js';
import { findWorkspace } from './workspace-rows.js';

export function createBudgetStore(database: Database): BudgetStore {
  return {
    async findBudgets(accountId, workspace) {
      const found = await findWorkspace(database.query, accountId, workspace);
      return found === undefined ? undefined : readBudgets(database.query, found);
    },

    putBudget: (accountId, workspace, change) =>
      database.transact(['policy'], async (tx) => {
        const found = await findWorkspace(tx, accountId, workspace);
        if (found === undefined) return undefined;
        const { budget, includeByokInBudgets } = change(await readBudgets(tx, found));
        const { limit_nano_usd, updated_at } = budgetRow(budget);
        await tx
          .insertInto('workspace_budget')
          .values(budgetRow(budget))
          .onConflict((conflict) =>
            conflict.columns(['workspace_id', 'interval']).doUpdateSet({ limit_nano_usd, updated_at }),
          )
          .execute();
        await tx
          .updateTable('workspace')
          .set({ include_byok_in_budgets: includeByokInBudgets ? 1 : 0 })
          .where('id', '=', found.id)
          .execute();
        return readBudgets(tx, { ...found, includeByokInBudgets });
      }),

    deleteBudget: (accountId, workspace, interval) =>
      database.transact(['policy'], async (tx) => {
        const found = await findWorkspace(tx, accountId, workspace);
        if (found === undefined) return false;
        const { numDeletedRows } = await tx
          .deleteFrom('workspace_budget')
          .where('workspace_id', '=', found.id)
          .where('interval', '=', interval)
          .executeTakeFirst();
        return numDeletedRows > 0n;
      }),
  };
}

/** Budgets in the order of their intervals, shortest first. */
export async function readBudgets(
  db: Kysely<Tables>,
  { id, name, includeByokInBudgets }: Pick<Workspace, 'id' | 'name' | 'includeByokInBudgets'>,
): Promise<WorkspaceBudgets> {
  const rows = await db.selectFrom('workspace_budget').selectAll().where('workspace_id', '=', id).execute();
  const budgets = rows
    .map(budgetOf)
    .toSorted((a, b) => BUDGET_INTERVALS.indexOf(a.interval) - BUDGET_INTERVALS.indexOf(b.interval));
  return { workspaceId: id, workspaceName: name, includeByokInBudgets, budgets };
}

function budgetRow(budget: WorkspaceBudget): Insertable<WorkspaceBudgetTable> {
  return {
    id: budget.id,
    workspace_id: budget.workspaceId,
    interval: budget.interval,
    limit_nano_usd: budget.limitNanoUsd,
    created_at: budget.createdAt,
    updated_at: budget.updatedAt,
  };
}

function budgetOf(row: Selectable<WorkspaceBudgetTable>): WorkspaceBudget {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    interval: row.interval,
    limitNanoUsd: row.limit_nano_usd,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
