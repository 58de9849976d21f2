import type { Admission, AvailableFunds } from './admission.js';
import { limitReached } from './limits.js';

/** A plan that was made with some funds, and what the ledger says of reserving for it. */
export interface ReservedPlan<Plan> {
  readonly plan: Plan;
  readonly admission: Admission;
}

/**
 * Plans and reserves for an account that can pay, and again with the funds that the ledger reports where it can't.
 * Throws what planning throws, and a 403 Problem where a limit is reached.
 */
export async function planAndReserve<Plan>(
  at: number,
  tryWith: (funds: AvailableFunds) => Promise<ReservedPlan<Plan>>,
): Promise<Plan> {
  let funds: AvailableFunds = { hasCredits: true, hasByokAllowance: true };
  for (;;) {
    const { plan, admission } = await tryWith(funds);
    switch (admission.kind) {
      case 'admitted':
        return plan;
      case 'blocked':
        throw limitReached(admission.limit, at);
      case 'funds':
        funds = admission.funds;
    }
  }
}
