import type { Account } from '../../accounts/account.js';
import { Problem } from '../../base/problem.js';
import type { Gateway } from '../../compose/gateway.js';
import type { ManagementKeyPrincipal } from '../../identity/principal.js';

/** The operator, who needs no key: acts in the account like one of its management keys. */
export function operatorOf(account: Account): ManagementKeyPrincipal {
  return { kind: 'management_key', accountId: account.id, hash: '', userId: account.ownerUserId };
}

/** The account of that id. Throws a 404 Problem that names it. */
export async function accountOf({ stores }: Gateway, id: string): Promise<Account> {
  const account = await stores.accounts.findAccount(id);
  if (account === undefined) throw new Problem('not_found', `there is no account ${id}`);
  return account;
}
