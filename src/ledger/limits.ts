/** Limits and budgets, and the errors when one is reached. See `docs/money.md#limits-and-budgets`. */
import { isoTimestamp } from '../base/clock.js';
import { formatNano, type NanoUsd, nanoToUsd } from '../base/money.js';
import { Problem, type Reason } from '../base/problem.js';
import { type Balance, balanceValue, emptyBalance, type LimitedTotal, limitSelector } from './balance.js';
import { windowEnd } from './windows.js';

export interface SpendLimit extends LimitedTotal {
  readonly kind: 'key' | 'guardrail' | 'workspace';
  readonly limitNanoUsd: NanoUsd;
  /** The hash of the key, or the identifier of the guardrail or the workspace. */
  readonly id: string;
  readonly name: string;
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

/** The balances of subjects as they are now; subjects without any are left out. */
export type ReadBalances = (subjects: readonly string[]) => Promise<readonly Balance[]>;

/** The first of the limits that is reached now, as a request would find it; reserves nothing. */
export async function reachedLimit(
  limits: readonly SpendLimit[],
  readBalances: ReadBalances,
  at: number,
): Promise<SpendLimit | undefined> {
  if (limits.length === 0) return undefined;
  const balances = await readBalances([...new Set(limits.map(({ subject }) => subject))]);
  const bySubject = new Map(balances.map((balance) => [balance.subject, balance]));
  return firstReachedLimit(limits, (subject) => bySubject.get(subject) ?? emptyBalance(subject), at);
}

/** The 403 for a limit that is reached: whose it is, its amount and when it resets. Returned, not thrown. */
export function limitReached(limit: SpendLimit, at: number): Problem {
  const { kind, id, name, interval, limitNanoUsd } = limit;
  const resetsAt = interval === null ? null : isoTimestamp(windowEnd(interval, at));
  const metadata = { id, name, limit_usd: nanoToUsd(limitNanoUsd), interval, resets_at: resetsAt };
  return new Problem(REASONS[kind], messageOf(limit, resetsAt), { metadata });
}

const REASONS: Record<SpendLimit['kind'], Reason> = {
  key: 'key_limit_exceeded',
  guardrail: 'guardrail_budget_exceeded',
  workspace: 'workspace_budget_exceeded',
};

function messageOf(
  { kind, name, interval, limitNanoUsd, title }: SpendLimit,
  resetsAt: string | null,
): string {
  const amount = `${formatNano(limitNanoUsd)} USD${interval === null ? ' in all' : ` ${interval}`}`;
  const until = resetsAt === null ? 'it does not reset' : `it resets at ${resetsAt}`;
  switch (kind) {
    case 'key':
      return `Key limit exceeded (${interval ?? 'total'} limit)`;
    case 'guardrail':
      return `Guardrail budget exceeded: ${title ?? 'a guardrail'} allows ${amount}; ${until}`;
    case 'workspace':
      return `Workspace budget exceeded: the workspace ${JSON.stringify(name)} may spend ${amount}; ${until}`;
  }
}
