/** What a request is charged, its ledger entries and the BYOK fee. Pure. See `docs/money.md#settlement`. */
import { isoTimestamp } from '../base/clock.js';
import { formatNano, type NanoUsd, nanoToUsd } from '../base/money.js';
import type { Metadata } from '../base/problem.js';
import type { Precondition, Range } from './admission.js';
import { allowanceSelector, type Balance, balanceValue, type Spend } from './balance.js';
import { windowEnd } from './limits.js';
import { BYOK_ALLOWANCE_NANO_USD, type Plan } from './payer.js';

/** The cost of a request that succeeded, and how it is paid. */
export interface Charge {
  readonly plan: Plan;
  readonly isByok: boolean;
  /** At list price, after overrides and discount. */
  readonly costNanoUsd: NanoUsd;
}

/** Entries are added, never changed. */
export type EntryKind = 'top_up' | 'credit_spend' | 'byok_cost' | 'byok_fee';

/** A charge as it is written to the ledger. */
export interface Settlement {
  readonly spend: Spend;
  /** Part of `spend.creditNanoUsd`. */
  readonly byokFeeNanoUsd: NanoUsd;
  /** At most one of each kind; none of 0. */
  readonly entries: readonly { readonly kind: EntryKind; readonly amountNanoUsd: NanoUsd }[];
}

export const NO_SETTLEMENT: Settlement = {
  spend: { creditNanoUsd: 0n, byokNanoUsd: 0n },
  byokFeeNanoUsd: 0n,
  entries: [],
};

/** `usedNanoUsd`: the account's previous BYOK usage in the month of the request, at list price. */
export function settlementOf({ plan, isByok, costNanoUsd }: Charge, usedNanoUsd: NanoUsd): Settlement {
  if (costNanoUsd === 0n) return NO_SETTLEMENT;
  if (!isByok) {
    return {
      spend: { creditNanoUsd: costNanoUsd, byokNanoUsd: 0n },
      byokFeeNanoUsd: 0n,
      entries: [{ kind: 'credit_spend', amountNanoUsd: costNanoUsd }],
    };
  }
  const fee = byokFee(plan, usedNanoUsd, costNanoUsd);
  const cost = { kind: 'byok_cost', amountNanoUsd: costNanoUsd } as const;
  return {
    spend: { creditNanoUsd: fee, byokNanoUsd: costNanoUsd },
    byokFeeNanoUsd: fee,
    entries: fee === 0n ? [cost] : [cost, { kind: 'byok_fee', amountNanoUsd: fee }],
  };
}

/** What must hold of the current account for a charge to be settled as on this one. */
export function settlementPreconditions(
  charge: Charge,
  account: Balance,
  at: number,
): readonly Precondition[] {
  if (!charge.isByok || charge.costNanoUsd === 0n) return [];
  const selector = allowanceSelector(account, 'settled_byok', at);
  const { min, max } = sameFee(charge.plan, balanceValue(selector, account), charge.costNanoUsd);
  return [{ selector, min, max }];
}

/** Of the list price above the free allowance. */
const FEE_PERCENT = 5n;

/**
 * The fee of a request over a BYOK key, on the part of its list price above the month's free allowance, of which
 * `usedNanoUsd` was used before. Rounded half up once. See `docs/money.md#who-pays`.
 */
export function byokFee(plan: Plan, usedNanoUsd: NanoUsd, costNanoUsd: NanoUsd): NanoUsd {
  const allowance = BYOK_ALLOWANCE_NANO_USD[plan];
  const free = usedNanoUsd < allowance ? allowance - usedNanoUsd : 0n;
  const above = costNanoUsd > free ? costNanoUsd - free : 0n;
  return (above * FEE_PERCENT + 50n) / 100n;
}

/** The range of previous usage for which the fee is the same as for `usedNanoUsd`. */
export function sameFee(plan: Plan, usedNanoUsd: NanoUsd, costNanoUsd: NanoUsd): Range {
  const allowance = BYOK_ALLOWANCE_NANO_USD[plan];
  if (usedNanoUsd + costNanoUsd <= allowance) return { min: null, max: allowance - costNanoUsd };
  if (usedNanoUsd >= allowance) return { min: allowance, max: null };
  return { min: usedNanoUsd, max: usedNanoUsd };
}

export interface Payment {
  readonly plan: Plan;
  /** When the request was made, in Unix milliseconds. */
  readonly at: number;
}

/** Message and metadata of an allowance that is used up, so that a fee is due: its amount and when it resets. */
export function allowanceUsedUp({ plan, at }: Payment): {
  readonly message: string;
  readonly metadata: Metadata;
} {
  const allowance = BYOK_ALLOWANCE_NANO_USD[plan];
  const resetsAt = isoTimestamp(windowEnd('monthly', at));
  return {
    message: `the free BYOK allowance of ${formatNano(allowance)} USD monthly is used up; it resets at ${resetsAt}`,
    metadata: { limit_usd: nanoToUsd(allowance), interval: 'monthly', resets_at: resetsAt },
  };
}
