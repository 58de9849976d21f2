/** A spend over BYOK keys in parts, each for an end user: which of them the limits of these admit. */
import type { NanoUsd } from '../base/money.js';
import { allowanceUsedFor, type SpendRequest } from './admission.js';
import { type Balance, NO_RESERVE, type Reserve } from './balance/balance.js';
import { balanceValue, limitSelector, spentValue } from './balance/balance-values.js';
import { byokFee } from './fee.js';
import type { ReachedLimit, SpendLimit } from './limits.js';
import { subjects } from './payer.js';

export interface SpendPart {
  readonly maxCostNanoUsd: NanoUsd;
  /** Of its end user; null = none applies. */
  readonly limit: SpendLimit | null;
}

export interface AdmittedParts {
  /** What all admitted parts reserve, by end users who have a limit; null = for everybody else. */
  readonly reserves: ReadonlyMap<string | null, Reserve>;
  /** By the positions of the parts. */
  readonly refused: ReadonlyMap<number, ReachedLimit>;
}

/**
 * In their order, each as if it came when those before it are reserved: so no limit is overshot by more than one part.
 * `balanceOf` must know the payer's account and the subject of every limit.
 */
export function admitParts(
  { payer, plan, at }: Pick<SpendRequest, 'payer' | 'plan' | 'at'>,
  parts: readonly SpendPart[],
  balanceOf: (subject: string) => Balance,
): AdmittedParts {
  let used = allowanceUsedFor(balanceOf(subjects.account(payer.accountId)), at);
  const reserves = new Map<string | null, Reserve>();
  const refused = new Map<number, ReachedLimit>();
  const totals = new Map<string, LimitTotal>();
  for (const [index, { maxCostNanoUsd: byokNanoUsd, limit }] of parts.entries()) {
    const total = limit === null ? undefined : (totals.get(limit.name) ?? totalOf(limit, balanceOf, at));
    if (limit !== null && total !== undefined) {
      totals.set(limit.name, total);
      const { spentNanoUsd, countedNanoUsd } = total;
      if (countedNanoUsd >= limit.limitNanoUsd) {
        refused.set(index, { limit, spentNanoUsd, reservedNanoUsd: countedNanoUsd - spentNanoUsd });
        continue;
      }
    }
    const creditNanoUsd = byokFee(plan, used, byokNanoUsd);
    used += byokNanoUsd;
    const reserve = { creditNanoUsd, byokNanoUsd, sumNanoUsd: byokNanoUsd + creditNanoUsd };
    if (total !== undefined) total.countedNanoUsd += limit?.includeByok ? reserve.sumNanoUsd : creditNanoUsd;
    const name = limit?.name ?? null;
    reserves.set(name, sum(reserves.get(name) ?? NO_RESERVE, reserve));
  }
  return { reserves, refused };
}

interface LimitTotal {
  readonly spentNanoUsd: NanoUsd;
  /** Spent and reserved, by the parts so far too. */
  countedNanoUsd: NanoUsd;
}

function totalOf(limit: SpendLimit, balanceOf: (subject: string) => Balance, at: number): LimitTotal {
  const balance = balanceOf(limit.subject);
  const selector = limitSelector(limit, at);
  return { spentNanoUsd: spentValue(selector, balance), countedNanoUsd: balanceValue(selector, balance) };
}

function sum(a: Reserve, b: Reserve): Reserve {
  return {
    creditNanoUsd: a.creditNanoUsd + b.creditNanoUsd,
    byokNanoUsd: a.byokNanoUsd + b.byokNanoUsd,
    sumNanoUsd: a.sumNanoUsd + b.sumNanoUsd,
  };
}
