import type { Clock } from '../../base/clock.js';
import type { Ids } from '../../base/ids.js';
import { invalid } from '../../base/problem.js';
import { checkName } from '../../identity/key-rules.js';
import { newManagementKey } from '../../identity/management-key.js';
import { type MintedSecret, mintSecret } from '../../identity/secret.js';
import type { BillingPlan } from '../../ledger/payer.js';
import { newWorkspace } from '../workspaces/new-workspace.js';
import type { Workspace } from '../workspaces/workspace.js';
import type { Account, AccountStore } from './account.js';

export interface AccountDependencies {
  readonly store: AccountStore;
  readonly clock: Clock;
  readonly ids: Ids;
}

export interface NewAccount {
  readonly name: string;
  readonly plan: BillingPlan;
  /** true when left out. */
  readonly hasSharedCapacity?: boolean;
  /** Default: `user_` and 24 random hexadecimal digits. */
  readonly ownerUserId?: string;
}

const USER_RANDOM_BYTES = 12;

/** `managementKey` is the secret of its first management key, shown only once. */
export interface CreatedAccount {
  readonly account: Account;
  readonly workspace: Workspace;
  readonly managementKey: string;
}

/**
 * Creates an account with a default workspace and a management key. Throws a 400 Problem that names every violation.
 */
export async function createAccount(
  dependencies: AccountDependencies,
  input: NewAccount,
): Promise<CreatedAccount> {
  const { ids } = dependencies;
  const identity = { id: ids.uuid(), managementKey: mintSecret('management_key', ids) };
  const { created, records } = newAccount(dependencies, input, identity);
  await dependencies.store.addAccount(...records);
  return created;
}

export interface AccountIdentity {
  readonly id: string;
  readonly managementKey: MintedSecret;
}

/** Does not store the account. Throws as `createAccount` does. */
export function newAccount(
  { clock, ids }: Omit<AccountDependencies, 'store'>,
  input: NewAccount,
  { id, managementKey }: AccountIdentity,
): { created: CreatedAccount; records: Parameters<AccountStore['addAccount']> } {
  const createdAt = clock.now();
  const ownerUserId = input.ownerUserId ?? `user_${ids.hex(USER_RANDOM_BYTES)}`;
  const violations = [...checkName('name', input.name), ...checkName('owner_user_id', ownerUserId)];
  if (violations.length > 0) throw invalid(violations);
  const { name, plan, hasSharedCapacity = true } = input;
  const account: Account = { id, name, plan, ownerUserId, hasSharedCapacity, createdAt, closedAt: null };
  const defaults = { name: 'Default', slug: 'default', description: null, isDefault: true };
  const { workspace, guardrail } = newWorkspace(account.id, defaults, ids, createdAt);
  const key = newManagementKey(id, 'First management key', managementKey, createdAt);
  return {
    created: { account, workspace, managementKey: managementKey.text },
    records: [account, workspace, guardrail, key],
  };
}
