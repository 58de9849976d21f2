import type { NanoUsd } from '../base/money.js';

/** What an account pays by; it sets the free allowance of BYOK usage (spec section 8). */
export const PLANS = ['pay_as_you_go', 'enterprise'] as const;
export type Plan = (typeof PLANS)[number];

/** List-price cost over BYOK keys that is free of the fee, per account and calendar month (spec section 8). */
export const BYOK_ALLOWANCE_NANO_USD: Record<Plan, NanoUsd> = {
  pay_as_you_go: 25_000n * 10n ** 9n,
  enterprise: 200_000n * 10n ** 9n,
};
