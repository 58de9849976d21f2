/** What a request would be refused for money, or wait for, as its route is explained. */
import type { Problem } from '../../base/problem.js';
import type { heldAccountFunds } from '../../ledger/credits.js';
import { heldLimit, limitReserved } from '../../ledger/held-money.js';
import {
  isSpent,
  limitReached,
  type ReadBalances,
  reachedLimit,
  type SpendLimit,
} from '../../ledger/limits.js';
import { type RouteRequest, type RouterDependencies, route } from '../../routing/router/router.js';

export interface RouteFunds {
  readonly router: RouterDependencies;
  /** What requests in flight hold of the funds, and what they leave; null where they hold none. */
  heldFunds(accountId: string): ReturnType<typeof heldAccountFunds>;
  readonly balances: ReadBalances;
}

export type RouteRefusal = Pick<Problem, 'reason' | 'message'>;

/** What the limits and budgets would answer a request now; undefined = they admit it. */
export async function refusalByLimits(
  { balances, router }: RouteFunds,
  limits: readonly SpendLimit[],
): Promise<RouteRefusal | undefined> {
  const now = router.clock.now();
  const reached = await reachedLimit(limits, balances, now);
  if (reached === undefined) return undefined;
  return isSpent(reached) ? limitReached(reached, now) : limitReserved(heldLimit(reached), now);
}

/** What a request waits for that no attempt can be made for without funds which requests in flight hold. */
export async function heldBackBy(
  { heldFunds, router }: RouteFunds,
  request: RouteRequest,
): Promise<RouteRefusal | undefined> {
  const funds = await heldFunds(request.caller.accountId);
  if (funds === null) return undefined;
  const { attempts } = await route(router, request, funds.left);
  return attempts.length > 0 ? undefined : limitReserved(funds.held, router.clock.now());
}
