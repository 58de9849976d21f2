import type { Clock } from '../base/clock.js';
import type { Ids } from '../base/ids.js';
import { invalid } from '../base/problem.js';
import { checkName } from '../identity/key-rules.js';
import { newManagementKey } from '../identity/management-key.js';
import { type MintedSecret, mintSecret } from '../identity/secret.js';
import type { Plan } from '../ledger/plan.js';
import type { Account, AccountStore, Workspace } from './account.js';
import { newWorkspace } from './workspaces/new-workspace.js';

/** What the account operations work with. */
export interface AccountDependencies {
  readonly store: AccountStore;
  readonly clock: Clock;
  readonly ids: Ids;
}

/** What an operator says of a new account. */
export interface NewAccount {
  readonly name: string;
  readonly plan: Plan;
  /** `user_` and 24 random hexadecimal digits when left out. */
  readonly ownerUserId?: string;
}

const USER_RANDOM_BYTES = 12;

/** A new account with its default workspace and the secret of its first management key, shown this once. */
export interface CreatedAccount {
  readonly account: Account;
  readonly workspace: Workspace;
  readonly managementKey: string;
}

/** Creates an account with a default workspace and a management key. Throws a 400 Problem that names every broken rule. */
export async function createAccount(
  dependencies: AccountDependencies,
  wanted: NewAccount,
): Promise<CreatedAccount> {
  const { ids } = dependencies;
  const identity = { id: ids.uuid(), managementKey: mintSecret('management_key', ids) };
  const { created, records } = newAccount(dependencies, wanted, identity);
  await dependencies.store.addAccount(...records);
  return created;
}

/** What identifies a new account and opens it. */
export interface AccountIdentity {
  readonly id: string;
  readonly managementKey: MintedSecret;
}

/** An account that nobody has stored yet. Throws as `createAccount` does. */
export function newAccount(
  { clock, ids }: Omit<AccountDependencies, 'store'>,
  wanted: NewAccount,
  { id, managementKey }: AccountIdentity,
): { created: CreatedAccount; records: Parameters<AccountStore['addAccount']> } {
  const createdAt = clock.now();
  const ownerUserId = wanted.ownerUserId ?? `user_${ids.hex(USER_RANDOM_BYTES)}`;
  const violations = [...checkName('name', wanted.name), ...checkName('owner_user_id', ownerUserId)];
  if (violations.length > 0) throw invalid(violations);
  const account: Account = { id, name: wanted.name, plan: wanted.plan, ownerUserId, createdAt };
  const home = { name: 'Default', slug: 'default', description: null, isDefault: true };
  const { workspace, guardrail } = newWorkspace(account.id, home, ids, createdAt);
  const key = newManagementKey(id, 'First management key', managementKey, createdAt);
  return {
    created: { account, workspace, managementKey: managementKey.text },
    records: [account, workspace, guardrail, key],
  };
}
