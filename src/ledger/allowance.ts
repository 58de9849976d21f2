/** What a caller is told of the month's free BYOK allowance (spec section 8; interface section 5). */
import { isoTimestamp } from '../base/clock.js';
import { formatNano, nanoToUsd } from '../base/money.js';
import type { Metadata } from '../base/problem.js';
import { BYOK_ALLOWANCE_NANO_USD, type Plan } from './plan.js';
import { windowEnd } from './windows.js';

/** What the allowance of a request depends on. */
export interface Payment {
  readonly plan: Plan;
  /** When the request was made, in Unix milliseconds. */
  readonly at: number;
}

/** That the allowance is used up and leaves a fee to be paid: its amount, and when it starts anew. */
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
