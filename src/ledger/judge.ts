import { type Admission, admit, type SpendRequest } from './admission.js';
import { emptyBalance, NO_RESERVE } from './balance/balance.js';
import type { ReadBalances } from './limits.js';
import { subjects } from './payer.js';

/**
 * Decides on a request that will cost nothing as `admit` decides on what it would cost else, without reserving: limits that
 * are spent and funds that are not there refuse it, and what requests in flight hold does not.
 */
export async function judge(request: SpendRequest, readBalances: ReadBalances): Promise<Admission> {
  const { payer, limits } = request;
  const named = new Set([subjects.account(payer.accountId), ...limits.map(({ subject }) => subject)]);
  const balances = await readBalances([...named]);
  const bySubject = new Map(balances.map((balance) => [balance.subject, balance]));
  const admission = admit(request, (subject) => bySubject.get(subject) ?? emptyBalance(subject));
  return admission.kind === 'held' ? { kind: 'admitted', reserve: NO_RESERVE } : admission;
}
