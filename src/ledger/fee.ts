import type { NanoUsd } from '../base/money.js';
import { BYOK_ALLOWANCE_NANO_USD, type Plan } from './plan.js';
import type { Range } from './preconditions.js';

/** Percent of the list price above the free allowance (spec section 8). */
const FEE_PERCENT = 5n;

/**
 * What a request over a BYOK key is charged: the fee on that part of its list price that lies above the month's free
 * allowance, of which `usedNanoUsd` was used before; rounded half up once.
 */
export function byokFee(plan: Plan, usedNanoUsd: NanoUsd, costNanoUsd: NanoUsd): NanoUsd {
  const allowance = BYOK_ALLOWANCE_NANO_USD[plan];
  const free = usedNanoUsd < allowance ? allowance - usedNanoUsd : 0n;
  const above = costNanoUsd > free ? costNanoUsd - free : 0n;
  return (above * FEE_PERCENT + 50n) / 100n;
}

/** What may have been used before instead of `usedNanoUsd` for the fee to be the same. */
export function sameFee(plan: Plan, usedNanoUsd: NanoUsd, costNanoUsd: NanoUsd): Range {
  const allowance = BYOK_ALLOWANCE_NANO_USD[plan];
  if (usedNanoUsd + costNanoUsd <= allowance) return { min: null, max: allowance - costNanoUsd };
  if (usedNanoUsd >= allowance) return { min: allowance, max: null };
  return { min: usedNanoUsd, max: usedNanoUsd };
}
