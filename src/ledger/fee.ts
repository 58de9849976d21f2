import type { NanoUsd } from '../base/money.js';
import { BYOK_ALLOWANCE_NANO_USD, type Plan } from './plan.js';
import type { Range } from './preconditions.js';

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
