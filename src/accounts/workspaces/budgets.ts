import { withFields } from '../../base/change.js';
import type { Clock } from '../../base/clock.js';
import type { Ids } from '../../base/ids.js';
import type { NanoUsd } from '../../base/money.js';
import { invalid, notFound } from '../../base/problem.js';
import { windowEnd } from '../../ledger/balance/windows.js';
import type { Listed, Page } from '../page.js';
import { checkBudgetUsd } from '../rules.js';
import {
  type BudgetInterval,
  type BudgetStore,
  type WorkspaceBudget,
  type WorkspaceBudgets,
  type WorkspaceSpendReader,
  windowOf,
} from './budget.js';

/** The operations accept the id or the slug of a workspace. */
export interface BudgetDependencies {
  readonly store: BudgetStore;
  readonly spend: WorkspaceSpendReader;
  readonly clock: Clock;
  readonly ids: Ids;
}

/** A budget as it is shown: with what counts toward it so far, depending on `includeByokInBudgets`. */
export interface BudgetRecord {
  readonly budget: WorkspaceBudget;
  readonly includeByokInBudgets: boolean;
  readonly spentNanoUsd: NanoUsd;
  /** Unix milliseconds; null = never. */
  readonly resetsAt: number | null;
}

export interface BudgetInput {
  readonly limitNanoUsd: NanoUsd;
  /** For all budgets of the workspace; null = unchanged. */
  readonly includeByokInBudgets: boolean | null;
}

/** Shortest interval first. Throws 404 when there is no such workspace. */
export async function listBudgets(
  dependencies: Pick<BudgetDependencies, 'store' | 'spend' | 'clock'>,
  accountId: string,
  workspace: string,
  { offset, limit }: Page,
): Promise<Listed<BudgetRecord> & { includeByokInBudgets: boolean }> {
  const found = await findBudgets(dependencies.store, accountId, workspace);
  const { budgets, includeByokInBudgets } = found;
  const page = budgets.slice(offset, offset + limit);
  const records = await Promise.all(page.map((budget) => recordOf(dependencies, found, budget)));
  return { records, totalCount: budgets.length, includeByokInBudgets };
}

/** Throws 404 when there is no such workspace or it has no budget for the interval. */
export async function getBudget(
  dependencies: Pick<BudgetDependencies, 'store' | 'spend' | 'clock'>,
  accountId: string,
  workspace: string,
  interval: BudgetInterval,
): Promise<BudgetRecord> {
  const found = await findBudgets(dependencies.store, accountId, workspace);
  return recordOf(dependencies, found, budgetFor(found, interval));
}

/** Creates or replaces a budget. Throws a 400 Problem for a limit out of range, 404 when there is no such workspace. */
export async function putBudget(
  dependencies: BudgetDependencies,
  accountId: string,
  workspace: string,
  interval: BudgetInterval,
  { limitNanoUsd, includeByokInBudgets }: BudgetInput,
): Promise<BudgetRecord> {
  const violations = checkBudgetUsd(limitNanoUsd);
  if (violations.length > 0) throw invalid(violations);
  const now = dependencies.clock.now();
  const stored = await dependencies.store.putBudget(accountId, workspace, (current) => {
    const present = current.budgets.find((budget) => budget.interval === interval) ?? {
      id: dependencies.ids.uuid(),
      workspaceId: current.workspaceId,
      interval,
      limitNanoUsd,
      createdAt: now,
      updatedAt: now,
    };
    return {
      budget: withFields(present, { limitNanoUsd }, now),
      includeByokInBudgets: includeByokInBudgets ?? current.includeByokInBudgets,
    };
  });
  if (stored === undefined) throw notFound();
  return recordOf(dependencies, stored, budgetFor(stored, interval));
}

/** Throws as `getBudget` does. */
export async function deleteBudget(
  { store }: Pick<BudgetDependencies, 'store'>,
  accountId: string,
  workspace: string,
  interval: BudgetInterval,
): Promise<void> {
  if (!(await store.deleteBudget(accountId, workspace, interval))) throw notFound();
}

async function findBudgets(
  store: BudgetStore,
  accountId: string,
  workspace: string,
): Promise<WorkspaceBudgets> {
  const found = await store.findBudgets(accountId, workspace);
  if (found === undefined) throw notFound();
  return found;
}

function budgetFor({ budgets }: WorkspaceBudgets, interval: BudgetInterval): WorkspaceBudget {
  const budget = budgets.find((one) => one.interval === interval);
  if (budget === undefined) throw notFound();
  return budget;
}

async function recordOf(
  { spend, clock }: Pick<BudgetDependencies, 'spend' | 'clock'>,
  { workspaceId, includeByokInBudgets }: WorkspaceBudgets,
  budget: WorkspaceBudget,
): Promise<BudgetRecord> {
  const interval = windowOf(budget.interval);
  const now = clock.now();
  return {
    budget,
    includeByokInBudgets,
    spentNanoUsd: await spend.spentWithin(workspaceId, interval, includeByokInBudgets, now),
    resetsAt: interval === null ? null : windowEnd(interval, now),
  };
}
