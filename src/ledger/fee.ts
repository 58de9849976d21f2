import { isoTimestamp } from '../base/clock.js';
import { formatNano, type NanoUsd, nanoToUsd } from '../base/money.js';
import type { Metadata } from '../base/problem.js';
import type { Range } from './balance.js';
import { BYOK_ALLOWANCE_NANO_USD, type Plan } from './payer.js';
import { windowEnd } from './windows.js';

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
