import type { Ids } from '../../base/ids.js';
import type { ApiKey } from '../../identity/api-key.js';
import { newOperatorKey } from '../../identity/operator-key.js';
import { mintSecret, secretOf } from '../../identity/secret.js';
import { type AccountDependencies, newAccount } from './create-account.js';

/** The identifier and the keys, in clear text, of the demo account. */
export interface FirstKeys {
  readonly accountId: string;
  readonly managementKey: string;
  readonly apiKey: string;
  readonly operatorKey: string;
}

/** Created before the account, so that the caller can save the keys before anything is stored that needs them. */
export function newFirstKeys(ids: Ids): FirstKeys {
  return {
    accountId: ids.uuid(),
    managementKey: mintSecret('management_key', ids).text,
    apiKey: mintSecret('api_key', ids).text,
    operatorKey: mintSecret('operator_key', ids).text,
  };
}

/**
 * Creates the demo account, an API key in it and an operator key, in one transaction; false when there is an account
 * already, also when another process was faster.
 */
export async function createFirstAccount(
  dependencies: AccountDependencies,
  keys: FirstKeys,
): Promise<boolean> {
  const identity = { id: keys.accountId, managementKey: secretOf(keys.managementKey) };
  const { created, records } = newAccount(dependencies, { name: 'Demo', plan: 'pay_as_you_go' }, identity);
  const { account, workspace } = created;
  const { createdAt } = account;
  const { hash, label } = secretOf(keys.apiKey);
  const apiKey: ApiKey = {
    hash,
    label,
    name: 'Demo key',
    accountId: account.id,
    workspaceId: workspace.id,
    clientId: null,
    creatorUserId: account.ownerUserId,
    disabled: false,
    limitNanoUsd: null,
    limitReset: null,
    includeByokInLimit: false,
    endUserLimitNanoUsd: null,
    endUserLimitReset: null,
    endUserRequired: false,
    cacheTtl: null,
    expiresAt: null,
    createdAt,
    updatedAt: createdAt,
  };
  const operatorKey = newOperatorKey('First operator key', secretOf(keys.operatorKey), createdAt);
  return dependencies.store.addFirstAccount(records, apiKey, operatorKey);
}
