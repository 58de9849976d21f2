import { type CallOptions, createContextValues } from '@connectrpc/connect';
import type { Account } from '../../accounts/account/account.js';
import { Problem } from '../../base/problem.js';
import type { Gateway } from '../../compose/gateway.js';
import type { ManagementKeyPrincipal } from '../../identity/principal.js';
import { callerKey, NOBODY } from '../../rpc/caller.js';

/** The operator needs no key, and acts in the account like one of its management keys. */
export function operatorOf(account: Account): ManagementKeyPrincipal {
  return { kind: 'management_key', accountId: account.id, hash: '', userId: account.ownerUserId };
}

/** Options of an in-process call that the principal makes. */
export function callAs(principal: ManagementKeyPrincipal): CallOptions {
  return { contextValues: createContextValues().set(callerKey, { ...NOBODY, principal }) };
}

/** Throws a 404 Problem that names it. */
export async function accountOf({ stores }: Gateway, id: string): Promise<Account> {
  const account = await stores.accounts.findAccount(id);
  if (account === undefined) throw new Problem('not_found', `there is no account ${id}`);
  return account;
}
