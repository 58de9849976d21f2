import type { NanoUsd } from '../base/money.js';

/** The plan of an account sets its free allowance of BYOK usage. */
export const PLANS = ['pay_as_you_go', 'enterprise'] as const;
export type Plan = (typeof PLANS)[number];

/** BYOK usage at list price that is free of the fee, per account and calendar month. */
export const BYOK_ALLOWANCE_NANO_USD: Record<Plan, NanoUsd> = {
  pay_as_you_go: 25_000n * 10n ** 9n,
  enterprise: 200_000n * 10n ** 9n,
};
