import { isoTimestamp } from '../base/clock.js';
import { type Decimal, formatNano, type NanoUsd, nanoToUsd } from '../base/money.js';
import type { Metadata } from '../base/problem.js';
import type { Balance } from './balance/balance.js';
import { allowanceSelector, balanceValue, type Range } from './balance/balance-values.js';
import { windowEnd } from './balance/windows.js';
import { type BillingPlan, type BillingPlanInForce, BYOK_ALLOWANCE_NANO_USD } from './payer.js';
import { BYOK_SERVED, spentWords } from './spent-words.js';

/** The share of the list price that BYOK use above the free allowance costs. */
const FEE_PERCENT = 5n;
export const FEE_RATE: Decimal = { digits: FEE_PERCENT, scale: 2 };

/**
 * The fee of a request over a BYOK key: a share of the part of its list price that exceeds the month's free allowance.
 * `usedNanoUsd` of that allowance was used before. 0 where nothing is billed. Rounded half up once. See
 * `docs/money.md#who-pays`.
 */
export function byokFee(plan: BillingPlanInForce, usedNanoUsd: NanoUsd, costNanoUsd: NanoUsd): NanoUsd {
  if (plan === 'unbilled') return 0n;
  const above = aboveAllowance(allowanceLeft(plan, usedNanoUsd), costNanoUsd);
  return (above * FEE_PERCENT + 50n) / 100n;
}

/** What is left of the month's allowance. */
export function allowanceLeft(plan: BillingPlan, usedNanoUsd: NanoUsd): NanoUsd {
  const allowance = BYOK_ALLOWANCE_NANO_USD[plan];
  return usedNanoUsd < allowance ? allowance - usedNanoUsd : 0n;
}

/** The part of a cost that the fee is on. */
export function aboveAllowance(leftNanoUsd: NanoUsd, costNanoUsd: NanoUsd): NanoUsd {
  return costNanoUsd > leftNanoUsd ? costNanoUsd - leftNanoUsd : 0n;
}

/** The range of previous usage for which the fee is the same as for `usedNanoUsd`. */
export function sameFee(plan: BillingPlanInForce, usedNanoUsd: NanoUsd, costNanoUsd: NanoUsd): Range {
  if (plan === 'unbilled') return { min: null, max: null };
  const allowance = BYOK_ALLOWANCE_NANO_USD[plan];
  if (usedNanoUsd + costNanoUsd <= allowance) return { min: null, max: allowance - costNanoUsd };
  if (usedNanoUsd >= allowance) return { min: allowance, max: null };
  return { min: usedNanoUsd, max: usedNanoUsd };
}

export interface Payment {
  readonly plan: BillingPlanInForce;
  /** When the request was made, in Unix milliseconds. */
  readonly at: number;
  /** The balance of the account; null or left out where the caller may not know it. */
  readonly account?: Balance | null;
}

const REMEDY = 'whoever operates this gateway can add credits (byway account credit)';

/** The message of credits that are spent. */
export function creditsSpent({ account }: Payment): string {
  if (!account) {
    return `the credits of the account are spent and do not reset, ${REMEDY}; ${BYOK_SERVED}`;
  }
  const { total, reserved, topUpNanoUsd } = account;
  const amounts = {
    spentNanoUsd: total.creditNanoUsd,
    reservedNanoUsd: reserved.creditNanoUsd,
    ofNanoUsd: topUpNanoUsd,
  };
  return spentWords({ amounts, resetsAt: null, remedy: REMEDY, byok: BYOK_SERVED });
}

/** Message and metadata of an allowance that is used up, so that a fee is due: its amount and when it resets. */
export function allowanceUsedUp({ plan, at, account }: Payment): {
  readonly message: string;
  readonly metadata: Metadata;
} {
  // Without billing no fee is ever due.
  const allowance = plan === 'unbilled' ? 0n : BYOK_ALLOWANCE_NANO_USD[plan];
  const resetsAt = windowEnd('monthly', at);
  const words = spentWords({
    amounts: account ? allowanceAmounts(account, allowance, at) : null,
    resetsAt,
    remedy: REMEDY,
    byok: BYOK_FEE,
  });
  return {
    message: `the free BYOK allowance of ${formatNano(allowance)} USD monthly is used up: ${words}`,
    metadata: {
      limit_usd: nanoToUsd(allowance),
      interval: 'monthly',
      resets_at: isoTimestamp(resetsAt),
    },
  };
}

function allowanceAmounts(account: Balance, ofNanoUsd: NanoUsd, at: number) {
  const reservedNanoUsd = account.reserved.byokNanoUsd;
  const used = balanceValue(allowanceSelector(account, 'byok', at), account);
  return { spentNanoUsd: used - reservedNanoUsd, reservedNanoUsd, ofNanoUsd };
}

const BYOK_FEE =
  'requests over your own provider keys (BYOK) are not served, since their fee is paid with credits';
