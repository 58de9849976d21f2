import type { NanoUsd } from '../base/money.js';
import type { Precondition } from './admission.js';
import type { Balance, Spend } from './balance/balance.js';
import { allowanceSelector, balanceValue } from './balance/balance-values.js';
import { byokFee, sameFee } from './fee.js';
import type { BillingPlanInForce } from './payer.js';
import type { Metered } from './pricing/price.js';

/** The cost of a request that succeeded, and how it is paid. */
export interface Charge {
  readonly plan: BillingPlanInForce;
  readonly isByok: boolean;
  /** At list price, after overrides and discount. */
  readonly costNanoUsd: NanoUsd;
  /** What its receipt says. Streams that the previous version has noted have none. */
  readonly billed?: Billed;
}

/** What was billed, at which terms. */
export interface Billed {
  readonly terms: Terms;
  readonly metered: Metered;
}

/** The prices and conditions of charges, as they are stored: the same have the same `id` and `json`, in any process. */
export interface Terms {
  /** Made of the content. */
  readonly id: number;
  readonly json: string;
}

/** Entries are added, never changed. */
export type EntryKind = 'top_up' | 'credit_spend' | 'byok_cost' | 'byok_fee' | UnbilledKind;

/** In place of `credit_spend` and `byok_cost`, where nothing is billed. */
export type UnbilledKind = 'unbilled_spend' | 'unbilled_byok_cost';

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
      entries: [
        { kind: plan === 'unbilled' ? 'unbilled_spend' : 'credit_spend', amountNanoUsd: costNanoUsd },
      ],
    };
  }
  const fee = byokFee(plan, usedNanoUsd, costNanoUsd);
  const kind = plan === 'unbilled' ? 'unbilled_byok_cost' : 'byok_cost';
  const cost = { kind, amountNanoUsd: costNanoUsd } as const;
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
  if (!charge.isByok || charge.costNanoUsd === 0n || charge.plan === 'unbilled') return [];
  const selector = allowanceSelector(account, 'settled_byok', at);
  const { min, max } = sameFee(charge.plan, balanceValue(selector, account), charge.costNanoUsd);
  return [{ selector, min, max }];
}
