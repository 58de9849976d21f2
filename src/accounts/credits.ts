import type { NanoUsd } from '../base/money.js';

/** What was paid in and what was spent of it, over all time. */
export interface Credits {
  /** All top-ups. */
  readonly totalCreditsNanoUsd: NanoUsd;
  /** All that was charged to credits: shared capacity and BYOK fees (interface section 5). */
  readonly totalUsageNanoUsd: NanoUsd;
}

/** Reads credits from the ledger, the only place that knows them. */
export interface CreditReader {
  creditsOf(accountId: string): Promise<Credits>;
}
