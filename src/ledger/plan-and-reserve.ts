/** Plans a request with the funds that there are, and reserves for the plan. See `docs/money.md#waiting-for-reservations`. */
import { Problem } from '../base/problem.js';
import { type Admission, type AvailableFunds, isPaid, type SpendRequest } from './admission.js';
import type { Balance } from './balance/balance.js';
import { allowanceQueue, creditsQueue, type HeldMoney, limitQueue, limitReserved } from './held-money.js';
import { limitReached } from './limits.js';
import { subjects } from './payer.js';

/** A plan for some funds, and the ledger's decision on reserving for it. */
export interface ReservedPlan<Plan> {
  readonly plan: Plan;
  readonly admission: Admission | BehindOthers;
}

/** Nothing was decided: requests that came earlier wait for money that this one needs too. */
export interface BehindOthers {
  readonly kind: 'behind';
  readonly queue: string;
}

/** The turn of one request among those that wait for the same money. */
export interface WaitingTurn {
  /** Whether it waits no longer. */
  readonly isOver: boolean;
  /** Seconds after which a request that has waited in vain may come again. */
  retryAfterSeconds(queue: string): number;
  /** What whoever waits in the queue was last held back by; undefined where nobody has asked yet. */
  heldIn(queue: string): HeldMoney | undefined;
  /**
   * Waits in the queue until the request may ask again, or its wait is over. `held`: what it was held back by, if it has
   * asked. Rejects when its client leaves, and when the gateway stops.
   */
  wait(queue: string, held?: HeldMoney): Promise<void>;
}

interface KnownFunds {
  readonly funds: AvailableFunds;
  readonly account: Balance | null;
  /** What there is beside them and requests in flight hold. */
  readonly held: HeldMoney | null;
}

const ENOUGH: KnownFunds = {
  funds: { hasCredits: true, hasByokAllowance: true },
  account: null,
  held: null,
};

/**
 * Plans and reserves for an account that can pay, and again with the funds and the balance that the ledger reports where it
 * can't. Money that requests in flight hold is waited for where no plan does without it. Throws what planning throws, a
 * 403 Problem where a limit is spent, and 429 `limit_reserved` where the wait is over.
 */
export async function planAndReserve<Plan>(
  at: number,
  turn: WaitingTurn,
  tryWith: (funds: AvailableFunds, account: Balance | null) => Promise<ReservedPlan<Plan>>,
): Promise<Plan> {
  let known = ENOUGH;
  const refusal = (held: HeldMoney) => limitReserved(held, at, turn.retryAfterSeconds(held.queue));
  const waitFor = async (held: HeldMoney) => {
    if (turn.isOver) throw refusal(held);
    await turn.wait(held.queue, held);
    known = ENOUGH;
  };
  for (;;) {
    const isTrial = known.held !== null;
    const tried = await tryWith(known.funds, known.account).catch((thrown) => planFailure(thrown, isTrial));
    if (tried instanceof Problem) {
      if (known.held === null) throw tried;
      await waitFor(known.held);
      continue;
    }
    const { plan, admission } = tried;
    switch (admission.kind) {
      case 'admitted':
        return plan;
      case 'blocked':
        throw limitReached(admission, at);
      case 'funds':
        known = { ...admission, held: null };
        break;
      case 'behind': {
        const held = turn.heldIn(admission.queue);
        if (turn.isOver && held !== undefined) throw refusal(held);
        await turn.wait(admission.queue);
        known = ENOUGH;
        break;
      }
      case 'held': {
        const { held, left } = admission;
        if (left === null || known.held !== null) await waitFor(held);
        else known = { ...left, held };
      }
    }
  }
}

/** The refusal of what was not admitted, of a request that began at an instant in Unix milliseconds. */
export function refusalFor(
  admission: Exclude<Admission, { readonly kind: 'admitted' }>,
  at: number,
): Problem {
  switch (admission.kind) {
    case 'blocked':
      return limitReached(admission, at);
    case 'held':
      return limitReserved(admission.held, at);
    case 'funds':
      return new Problem('insufficient_credits', 'Insufficient credits for the attempts that are left');
  }
}

/** A plan with what is left of the funds may fail in any way that says no more than that it is too little. */
function planFailure(thrown: unknown, isTrial: boolean): Problem {
  if (!(thrown instanceof Problem)) throw thrown;
  if (thrown.reason === 'insufficient_credits' || (isTrial && thrown.httpStatus < FAILED)) return thrown;
  throw thrown;
}

/** From here on the gateway has failed, and not the request. */
const FAILED = 500;

/** The money that a request can't do without, by whether some of its attempts need none of it. */
export function neededBy(
  { payer, plan, limits, maxCost }: SpendRequest,
  isOfOneKind: boolean,
): readonly string[] {
  const queues = limits.map((limit) => limitQueue(limit));
  if (plan === 'unbilled' || !isOfOneKind) return queues;
  const account = subjects.account(payer.accountId);
  if (isPaid(maxCost.sharedNanoUsd)) queues.push(creditsQueue(account));
  if (isPaid(maxCost.byokNanoUsd)) queues.push(allowanceQueue(account));
  return queues;
}

/** The money that a request may have held. */
export function heldBy({ payer, limits }: SpendRequest): string[] {
  const account = subjects.account(payer.accountId);
  return [...limits.map((limit) => limitQueue(limit)), creditsQueue(account), allowanceQueue(account)];
}
