/** Limits and budgets, and the errors when one is reached. See `docs/money.md#limits-and-budgets`. */
import { isoTimestamp } from '../base/clock.js';
import { formatNano, type NanoUsd, nanoToUsd } from '../base/money.js';
import { type Metadata, Problem, type Reason } from '../base/problem.js';
import { type Balance, emptyBalance } from './balance/balance.js';
import { balanceValue, type LimitedTotal, limitSelector, spentValue } from './balance/balance-values.js';
import { windowEnd } from './balance/windows.js';
import { BYOK_HELD, spentWords } from './spent-words.js';

export interface SpendLimit extends LimitedTotal {
  readonly kind: 'key' | 'guardrail' | 'workspace' | 'run' | 'end_user';
  readonly limitNanoUsd: NanoUsd;
  /** The hash of the key, the identifier of the guardrail, the workspace or the run, or the name of the end user. */
  readonly id: string;
  readonly name: string;
  /** Names the guardrail and its scope in messages; null for other kinds. */
  readonly title: string | null;
}

/** A limit that spent and reserved together have reached. */
export interface ReachedLimit {
  readonly limit: SpendLimit;
  readonly spentNanoUsd: NanoUsd;
  /** For requests in flight. */
  readonly reservedNanoUsd: NanoUsd;
}

/** Whether all of it is spent: then it stays reached until it resets or is raised, and not only while requests are in flight. */
export function isSpent({ limit, spentNanoUsd }: ReachedLimit): boolean {
  return spentNanoUsd >= limit.limitNanoUsd;
}

/** The first limit that is spent, else the first that is reached; undefined when there is none. */
export function firstReachedLimit(
  limits: readonly SpendLimit[],
  balanceOf: (subject: string) => Balance,
  at: number,
): ReachedLimit | undefined {
  let held: ReachedLimit | undefined;
  for (const limit of limits) {
    const balance = balanceOf(limit.subject);
    const selector = limitSelector(limit, at);
    const counted = balanceValue(selector, balance);
    if (counted < limit.limitNanoUsd) continue;
    const spentNanoUsd = spentValue(selector, balance);
    const reached = { limit, spentNanoUsd, reservedNanoUsd: counted - spentNanoUsd };
    if (isSpent(reached)) return reached;
    held ??= reached;
  }
  return held;
}

/** The balances of subjects as they are now; subjects without any are left out. */
export type ReadBalances = (subjects: readonly string[]) => Promise<readonly Balance[]>;

/** The first of the limits that is reached now, as a request would find it; reserves nothing. */
export async function reachedLimit(
  limits: readonly SpendLimit[],
  readBalances: ReadBalances,
  at: number,
): Promise<ReachedLimit | undefined> {
  if (limits.length === 0) return undefined;
  return firstReachedLimit(limits, await balancesOf(limits, readBalances), at);
}

async function balancesOf(
  limits: readonly SpendLimit[],
  readBalances: ReadBalances,
): Promise<(subject: string) => Balance> {
  const balances = await readBalances([...new Set(limits.map(({ subject }) => subject))]);
  const bySubject = new Map(balances.map((balance) => [balance.subject, balance]));
  return (subject) => bySubject.get(subject) ?? emptyBalance(subject);
}

/** What is neither spent nor reserved of the tightest limit now, never below 0; undefined without limits. */
export async function remainingNow(
  limits: readonly SpendLimit[],
  readBalances: ReadBalances,
  at: number,
): Promise<NanoUsd | undefined> {
  if (limits.length === 0) return undefined;
  const balanceOf = await balancesOf(limits, readBalances);
  let least: NanoUsd | undefined;
  for (const limit of limits) {
    const left = limit.limitNanoUsd - balanceValue(limitSelector(limit, at), balanceOf(limit.subject));
    if (least === undefined || left < least) least = left;
  }
  return least === undefined || least > 0n ? least : 0n;
}

/** Whether one of the limits is spent now. */
export async function isAnySpent(
  limits: readonly SpendLimit[],
  readBalances: ReadBalances,
  at: number,
): Promise<boolean> {
  const reached = await reachedLimit(limits, readBalances, at);
  return reached !== undefined && isSpent(reached);
}

/** The refusal for a limit that is spent: whose it is, what was spent of it, when it resets and who can raise it. Returned, not thrown. */
export function limitReached(reached: ReachedLimit, at: number): Problem {
  const { kind, id, name, interval, limitNanoUsd } = reached.limit;
  const resetsAt = interval === null ? null : windowEnd(interval, at);
  const metadata = { id, name, interval, ...amountsOf({ ...reached, limitNanoUsd }, resetsAt) };
  const words = spentWords({
    amounts: { ...reached, ofNanoUsd: limitNanoUsd },
    resetsAt,
    remedy: REMEDIES[kind],
    byok: BYOK_HELD,
  });
  return new Problem(REASONS[kind], `${titleOf(reached.limit)}: ${words}`, { metadata });
}

/** The amounts that refusals for money tell, as `error.metadata`. */
export function amountsOf(
  {
    limitNanoUsd,
    spentNanoUsd,
    reservedNanoUsd,
  }: Pick<ReachedLimit, 'spentNanoUsd' | 'reservedNanoUsd'> & Pick<SpendLimit, 'limitNanoUsd'>,
  resetsAt: number | null,
): Metadata {
  return {
    limit_usd: nanoToUsd(limitNanoUsd),
    spent_usd: nanoToUsd(spentNanoUsd),
    reserved_usd: nanoToUsd(reservedNanoUsd),
    resets_at: resetsAt === null ? null : isoTimestamp(resetsAt),
  };
}

const REASONS: Record<SpendLimit['kind'], Reason> = {
  key: 'key_limit_exceeded',
  guardrail: 'guardrail_budget_exceeded',
  workspace: 'workspace_budget_exceeded',
  run: 'run_limit_exceeded',
  end_user: 'end_user_limit_exceeded',
};

const REMEDIES: Record<SpendLimit['kind'], string> = {
  key: 'whoever has a management key of the account can raise it (PATCH /keys/{hash})',
  guardrail: 'whoever has a management key of the account can raise it (PATCH /guardrails/{id})',
  workspace:
    'whoever has a management key of the account can raise it (PUT /workspaces/{id}/budgets/{interval})',
  run: 'it can only be lowered: another name (X-Byway-Run) is a new run',
  end_user: 'whoever has a management key of the account can raise it (PATCH /keys/{hash}, end_user_limit)',
};

function titleOf({ kind, name, interval, limitNanoUsd, title }: SpendLimit): string {
  const amount = `${formatNano(limitNanoUsd)} USD${interval === null ? ' in all' : ` ${interval}`}`;
  switch (kind) {
    case 'key':
      return `Key limit exceeded (${interval ?? 'total'} limit)`;
    case 'guardrail':
      return `Guardrail budget exceeded: ${title ?? 'a guardrail'} allows ${amount}`;
    case 'workspace':
      return `Workspace budget exceeded: the workspace ${JSON.stringify(name)} may spend ${amount}`;
    case 'run':
      return `Run limit exceeded: the run ${JSON.stringify(name)} may spend ${amount}`;
    case 'end_user':
      return `End user limit exceeded: the end user ${JSON.stringify(name)} may spend ${amount}`;
  }
}
