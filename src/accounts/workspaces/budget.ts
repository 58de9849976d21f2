import type { NanoUsd } from '../../base/money.js';
import type { Interval } from '../../ledger/windows.js';

/** The intervals of workspace budgets, shortest first. */
export const BUDGET_INTERVALS = ['daily', 'weekly', 'monthly', 'lifetime'] as const satisfies (
  | Interval
  | 'lifetime'
)[];
export type BudgetInterval = (typeof BUDGET_INTERVALS)[number];

/** The window that a budget holds for; null = ever. */
export function windowOf(interval: BudgetInterval): Interval | null {
  return interval === 'lifetime' ? null : interval;
}

/** What a workspace may spend within an interval. */
export interface WorkspaceBudget {
  readonly id: string;
  readonly workspaceId: string;
  readonly interval: BudgetInterval;
  readonly limitNanoUsd: NanoUsd;
  /** Unix milliseconds. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** All budgets of a workspace, at most one per interval, and the one flag for all of them (spec 4.5.9). */
export interface WorkspaceBudgets {
  readonly workspaceId: string;
  readonly includeByokInBudgets: boolean;
  /** Shortest interval first. */
  readonly budgets: readonly WorkspaceBudget[];
}

/** Keeps workspace budgets. Every method is one transaction. A workspace is named by its id or its slug. */
export interface BudgetStore {
  /** undefined when there is no such workspace. */
  findBudgets(accountId: string, workspace: string): Promise<WorkspaceBudgets | undefined>;
  /** Stores what `change` makes of the budgets: the one of its interval and the flag. */
  putBudget(
    accountId: string,
    workspace: string,
    change: (current: WorkspaceBudgets) => { budget: WorkspaceBudget; includeByokInBudgets: boolean },
  ): Promise<WorkspaceBudgets | undefined>;
  /** false when there was no such budget. */
  deleteBudget(accountId: string, workspace: string, interval: BudgetInterval): Promise<boolean>;
}

/** Reads what a workspace has spent. */
export interface WorkspaceSpendReader {
  /**
   * Charged to credits in the window that holds the instant (null = ever), and with `includeByok` the list price of
   * BYOK usage too.
   */
  spentWithin(
    workspaceId: string,
    interval: Interval | null,
    includeByok: boolean,
    nowMs: number,
  ): Promise<NanoUsd>;
}
