import type { NanoUsd } from '../../base/money.js';
import type { Interval } from '../../ledger/balance/windows.js';

/** The intervals of workspace budgets, shortest first. */
export const BUDGET_INTERVALS = ['daily', 'weekly', 'monthly', 'lifetime'] as const satisfies (
  | Interval
  | 'lifetime'
)[];
export type BudgetInterval = (typeof BUDGET_INTERVALS)[number];

/** null = since ever. */
export function windowOf(interval: BudgetInterval): Interval | null {
  return interval === 'lifetime' ? null : interval;
}

export interface WorkspaceBudget {
  readonly id: string;
  readonly workspaceId: string;
  readonly interval: BudgetInterval;
  readonly limitNanoUsd: NanoUsd;
  /** Unix milliseconds. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** At most one budget per interval, and one flag for all of them. */
export interface WorkspaceBudgets {
  readonly workspaceId: string;
  readonly workspaceName: string;
  readonly includeByokInBudgets: boolean;
  /** Shortest interval first. */
  readonly budgets: readonly WorkspaceBudget[];
}

/** Every method is one transaction and accepts the id or the slug of a workspace. */
export interface BudgetStore {
  /** undefined when there is no such workspace. */
  findBudgets(accountId: string, workspace: string): Promise<WorkspaceBudgets | undefined>;
  /** Stores the budget and the flag that `change` returns. */
  putBudget(
    accountId: string,
    workspace: string,
    change: (current: WorkspaceBudgets) => { budget: WorkspaceBudget; includeByokInBudgets: boolean },
  ): Promise<WorkspaceBudgets | undefined>;
  /** false when there was no such budget. */
  deleteBudget(accountId: string, workspace: string, interval: BudgetInterval): Promise<boolean>;
}

export interface WorkspaceSpendReader {
  /**
   * Charged to credits in the window that contains the instant (null = since ever), and with `includeByok` the list
   * price of BYOK usage too.
   */
  spentWithin(
    workspaceId: string,
    interval: Interval | null,
    includeByok: boolean,
    nowMs: number,
  ): Promise<NanoUsd>;
}
