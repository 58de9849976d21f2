import { endUserRules, keyLimit } from '../../identity/api-key.js';
import type { CredentialStore, SecretRecord } from '../../identity/authenticate.js';
import { defaultClientUser } from '../../identity/client.js';
import type { SecretKind } from '../../identity/secret.js';
import { type BillingPlan, type BillingPlanInForce, billingPlanInForce } from '../../ledger/payer.js';
import type { Database } from '../database/database.js';
import { lookUpTogether } from '../query/look-up-together.js';
import { preparedLookup, preparedSelect } from '../query/prepared.js';

type Find = (hash: string) => Promise<SecretRecord | undefined>;

/** The credentials of callers, for authentication. */
export function createCredentialStore(
  database: Database,
  planOf: PlanOf = billingPlanInForce(true),
): CredentialStore {
  const finders: Readonly<Record<SecretKind, Find>> = {
    api_key: apiKeyFinder(database, planOf),
    management_key: managementKeyFinder(database),
    client: clientFinder(database),
    operator_key: operatorKeyFinder(database),
  };
  return {
    findCredential: (kind, hash) => finders[kind](hash),
    onCredentialChange: (listener) => void database.onChange('identity', listener),
  };
}

type PlanOf = (plan: BillingPlan) => BillingPlanInForce;

function apiKeyFinder({ query }: Database, planOf: PlanOf): Find {
  const lookUp = preparedLookup((db, hashes) =>
    db
      .selectFrom('api_key')
      .innerJoin('account', 'account.id', 'api_key.account_id')
      .select([
        'account.plan',
        'account.closed_at',
        'account_id',
        'workspace_id',
        'creator_user_id',
        'disabled',
        'expires_at',
      ])
      .select(['hash', 'api_key.name', 'limit_nano_usd', 'limit_reset', 'include_byok_in_limit'])
      .select(['end_user_limit_nano_usd', 'end_user_limit_reset', 'end_user_required', 'cache_ttl'])
      .where('hash', 'in', hashes)
      .where('deleted_at', 'is', null)
      .compile(),
  );
  const find = lookUpTogether(
    (hashes) => lookUp(query, hashes),
    (row) => row.hash,
  );
  return async (hash) => {
    const [row] = await find(hash);
    if (row === undefined) return undefined;
    return {
      principal: {
        kind: 'api_key',
        accountId: row.account_id,
        workspaceId: row.workspace_id,
        keyHash: hash,
        userId: row.creator_user_id,
        plan: planOf(row.plan),
        limit: keyLimit({
          hash,
          name: row.name,
          limitNanoUsd: row.limit_nano_usd,
          limitReset: row.limit_reset,
          includeByokInLimit: row.include_byok_in_limit === 1,
        }),
        endUsers: endUserRules({
          hash,
          endUserLimitNanoUsd: row.end_user_limit_nano_usd,
          endUserLimitReset: row.end_user_limit_reset,
          endUserRequired: row.end_user_required === 1,
          includeByokInLimit: row.include_byok_in_limit === 1,
        }),
        cacheTtl: row.cache_ttl,
      },
      disabled: row.disabled === 1,
      isClosed: row.closed_at !== null,
      expiresAt: row.expires_at,
    };
  };
}

function managementKeyFinder({ query }: Database): Find {
  const select = preparedSelect(query, (db, { hash }: { hash: string }) =>
    db
      .selectFrom('management_key')
      .innerJoin('account', 'account.id', 'management_key.account_id')
      .select(['management_key.account_id', 'account.owner_user_id', 'account.closed_at'])
      .where('management_key.hash', '=', hash)
      .where('management_key.revoked_at', 'is', null)
      .compile(),
  );
  return async (hash) => {
    const [row] = await select({ hash });
    if (row === undefined) return undefined;
    const principal = {
      kind: 'management_key',
      accountId: row.account_id,
      hash,
      userId: row.owner_user_id,
    } as const;
    return { principal, disabled: false, isClosed: row.closed_at !== null, expiresAt: null };
  };
}

function clientFinder({ query }: Database): Find {
  const select = preparedSelect(query, (db, { hash }: { hash: string }) =>
    db
      .selectFrom('client')
      .innerJoin('account', 'account.id', 'client.account_id')
      .select(['client.id', 'account_id', 'user_id', 'account.closed_at'])
      .where('secret_hash', '=', hash)
      .where('deleted_at', 'is', null)
      .compile(),
  );
  return async (hash) => {
    const [row] = await select({ hash });
    if (row === undefined) return undefined;
    const principal = {
      kind: 'client',
      accountId: row.account_id,
      clientId: row.id,
      userId: row.user_id ?? defaultClientUser(row.id),
    } as const;
    return { principal, disabled: false, isClosed: row.closed_at !== null, expiresAt: null };
  };
}

function operatorKeyFinder({ query }: Database): Find {
  const select = preparedSelect(query, (db, { hash }: { hash: string }) =>
    db
      .selectFrom('operator_key')
      .select('hash')
      .where('hash', '=', hash)
      .where('revoked_at', 'is', null)
      .compile(),
  );
  return async (hash) => {
    const [row] = await select({ hash });
    if (row === undefined) return undefined;
    return { principal: { kind: 'operator_key', hash }, disabled: false, isClosed: false, expiresAt: null };
  };
}
