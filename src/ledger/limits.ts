/** Limits and budgets: what each lets pass, and what the caller is told when one is reached (interface section 5). */
import { isoTimestamp } from '../base/clock.js';
import { formatNano, type NanoUsd, nanoToUsd } from '../base/money.js';
import { Problem, type Reason } from '../base/problem.js';
import type { Balance } from './balance.js';
import { balanceValue, limitSelector } from './balance-selector.js';
import { type Interval, windowEnd } from './windows.js';

/** A bound on what one subject spends within a window. */
export interface SpendLimit {
  readonly kind: 'key' | 'guardrail' | 'workspace';
  /** Whose total counts (`subjects`). */
  readonly subject: string;
  /** null = it never starts anew. */
  readonly interval: Interval | null;
  /** Whether the list price of BYOK usage counts beside what is charged to credits. */
  readonly includeByok: boolean;
  readonly limitNanoUsd: NanoUsd;
  /** Which guardrail it is and for whom, in words; null where the kind says all. */
  readonly title: string | null;
}

/** The first limit that spent and reserved together have reached; undefined when all let one more request pass. */
export function firstReachedLimit(
  limits: readonly SpendLimit[],
  balanceOf: (subject: string) => Balance,
  at: number,
): SpendLimit | undefined {
  return limits.find(
    (limit) => balanceValue(limitSelector(limit, at), balanceOf(limit.subject)) >= limit.limitNanoUsd,
  );
}

const REASONS: Record<SpendLimit['kind'], Reason> = {
  key: 'key_limit_exceeded',
  guardrail: 'guardrail_budget_exceeded',
  workspace: 'workspace_budget_exceeded',
};

/** The 403 for a limit that is reached: which one, its amount, and when it starts anew. Returned, not thrown. */
export function limitReached(limit: SpendLimit, at: number): Problem {
  const { kind, interval, limitNanoUsd } = limit;
  const resetsAt = interval === null ? null : isoTimestamp(windowEnd(interval, at));
  const metadata = { limit_usd: nanoToUsd(limitNanoUsd), interval, resets_at: resetsAt };
  return new Problem(REASONS[kind], messageOf(limit, resetsAt), { metadata });
}

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
