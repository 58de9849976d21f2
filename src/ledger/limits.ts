/**
 * Limits and budgets, the errors when one is reached, and the windows after which they reset. See
 * `docs/money.md#limits-and-budgets` and `docs/money.md#windows`.
 */
import { isoTimestamp } from '../base/clock.js';
import { formatNano, type NanoUsd, nanoToUsd } from '../base/money.js';
import { Problem, type Reason } from '../base/problem.js';
import { type Balance, balanceValue, limitSelector } from './balance.js';

/** How often a limit or a budget resets, at midnight UTC. */
export const INTERVALS = ['daily', 'weekly', 'monthly'] as const;
export type Interval = (typeof INTERVALS)[number];

export interface SpendLimit {
  readonly kind: 'key' | 'guardrail' | 'workspace';
  /** The subject whose total counts, see `subjects`. */
  readonly subject: string;
  /** null = never resets. */
  readonly interval: Interval | null;
  /** Whether the list price of BYOK usage counts in addition to what is charged to credits. */
  readonly includeByok: boolean;
  readonly limitNanoUsd: NanoUsd;
  /** Names the guardrail and its scope in messages; null for other kinds. */
  readonly title: string | null;
}

/** The first limit that spent and reserved together have reached; undefined when there is none. */
export function firstReachedLimit(
  limits: readonly SpendLimit[],
  balanceOf: (subject: string) => Balance,
  at: number,
): SpendLimit | undefined {
  return limits.find(
    (limit) => balanceValue(limitSelector(limit, at), balanceOf(limit.subject)) >= limit.limitNanoUsd,
  );
}

/** The 403 for a limit that is reached, with its amount and when it resets. Returned, not thrown. */
export function limitReached(limit: SpendLimit, at: number): Problem {
  const { kind, interval, limitNanoUsd } = limit;
  const resetsAt = interval === null ? null : isoTimestamp(windowEnd(interval, at));
  const metadata = { limit_usd: nanoToUsd(limitNanoUsd), interval, resets_at: resetsAt };
  return new Problem(REASONS[kind], messageOf(limit, resetsAt), { metadata });
}

/** The start of the UTC day, the week from Monday, or the calendar month that contains `nowMs`; in Unix ms. */
export function windowStart(interval: Interval, nowMs: number): number {
  const day = Math.floor(nowMs / DAY_MS);
  switch (interval) {
    case 'daily':
      return day * DAY_MS;
    case 'weekly':
      return (day - modulo(day + DAYS_FROM_MONDAY_TO_EPOCH, 7)) * DAY_MS;
    case 'monthly':
      return (day + 1 - new Date(nowMs).getUTCDate()) * DAY_MS;
  }
}

/** The first instant after the window that contains `nowMs`: when a limit resets, in Unix ms. */
export function windowEnd(interval: Interval, nowMs: number): number {
  switch (interval) {
    case 'daily':
      return windowStart('daily', nowMs) + DAY_MS;
    case 'weekly':
      return windowStart('weekly', nowMs) + 7 * DAY_MS;
    case 'monthly':
      // 31 days after the first day of a month lie in the next month.
      return windowStart('monthly', windowStart('monthly', nowMs) + 31 * DAY_MS);
  }
}

const REASONS: Record<SpendLimit['kind'], Reason> = {
  key: 'key_limit_exceeded',
  guardrail: 'guardrail_budget_exceeded',
  workspace: 'workspace_budget_exceeded',
};

function messageOf({ kind, interval, limitNanoUsd, title }: SpendLimit, resetsAt: string | null): string {
  const amount = `${formatNano(limitNanoUsd)} USD${interval === null ? ' in all' : ` ${interval}`}`;
  const until = resetsAt === null ? 'it does not reset' : `it resets at ${resetsAt}`;
  switch (kind) {
    case 'key':
      return `Key limit exceeded (${interval ?? 'total'} limit)`;
    case 'guardrail':
      return `Guardrail budget exceeded: ${title ?? 'a guardrail'} allows ${amount}; ${until}`;
    case 'workspace':
      return `Workspace budget exceeded: the workspace may spend ${amount}; ${until}`;
  }
}

const DAY_MS = 86_400_000;

/** The Unix epoch was a Thursday, three days after a Monday. */
const DAYS_FROM_MONDAY_TO_EPOCH = 3;

function modulo(value: number, divisor: number): number {
  return ((value % divisor) + divisor) % divisor;
}
