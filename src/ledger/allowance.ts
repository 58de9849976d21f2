/** Error details about the month's free BYOK allowance, see `docs/money.md#who-pays`. */
import { isoTimestamp } from '../base/clock.js';
import { formatNano, nanoToUsd } from '../base/money.js';
import type { Metadata } from '../base/problem.js';
import { BYOK_ALLOWANCE_NANO_USD, type Plan } from './plan.js';
import { windowEnd } from './windows.js';

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
