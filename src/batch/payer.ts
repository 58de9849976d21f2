/** Who is charged for a batch, and under which limits. */
import { isUuid } from '../base/ids.js';
import { invalid, type Violation } from '../base/problem.js';
import type { ByokKey } from '../byok/types.js';
import type { ApiKey } from '../identity/api-key.js';
import { endUserRules, keyLimit } from '../identity/api-key.js';
import type { EndUserRules } from '../ledger/end-users.js';
import type { SpendLimit } from '../ledger/limits.js';
import type { BillingPlanInForce, Payer } from '../ledger/payer.js';
import type { BatchDependencies } from './dependencies.js';
import { KEY_FIELD } from './failure.js';
import { hasBatches } from './has-batches.js';

export interface BatchPayer {
  readonly payer: Payer;
  readonly plan: BillingPlanInForce;
  /** The limit of the API key itself; null = none. */
  readonly limit: SpendLimit | null;
  /** What the API key says of its end users; null = nothing. */
  readonly endUsers: EndUserRules | null;
}

/** The members of a submission that determine its payer. */
export interface NamedPayer {
  readonly accountId: string;
  readonly byokKeyId: string | null;
  readonly apiKeyHash: string | null;
}

type PayerDependencies = Pick<
  BatchDependencies,
  'accounts' | 'planInForce' | 'keys' | 'byok' | 'catalogs' | 'clock'
>;

/** The violations of the keys that a submission names. */
export async function namedPayerViolations(
  dependencies: PayerDependencies,
  named: NamedPayer,
): Promise<Violation[]> {
  const [apiKey, byokKey] = await Promise.all([
    findApiKey(dependencies, named),
    findByokKey(dependencies, named),
  ]);
  const violations = [
    ...apiKeyViolations(named, apiKey),
    ...(await byokKeyViolations(dependencies, named, byokKey)),
  ];
  if (apiKey === undefined || byokKey === undefined || apiKey.workspaceId === byokKey.workspaceId)
    return violations;
  return [...violations, OTHER_WORKSPACE];
}

/**
 * The payer is the API key that is named, in its workspace; without one the account's owner, in the BYOK key's
 * workspace or the default one. Throws a 400 Problem for keys that can't be named.
 */
export async function batchPayerOf(dependencies: PayerDependencies, named: NamedPayer): Promise<BatchPayer> {
  const violations = await namedPayerViolations(dependencies, named);
  if (violations.length > 0) throw invalid(violations);
  const { accountId } = named;
  const [apiKey, byokKey] = await Promise.all([
    findApiKey(dependencies, named),
    findByokKey(dependencies, named),
  ]);
  const account = await dependencies.accounts.findAccount(accountId);
  const workspaceId =
    apiKey?.workspaceId ??
    byokKey?.workspaceId ??
    (await dependencies.accounts.findWorkspace(accountId, null))?.id;
  if (account === undefined || workspaceId === undefined) throw new TypeError('an account without workspace');
  const payer = {
    accountId,
    workspaceId,
    apiKeyHash: apiKey?.hash ?? '',
    userId: apiKey?.creatorUserId ?? account.ownerUserId,
    runId: null,
    endUser: null,
  };
  const plan = dependencies.planInForce(account.plan);
  const limit = apiKey === undefined ? null : keyLimit(apiKey);
  return { payer, plan, limit, endUsers: apiKey === undefined ? null : endUserRules(apiKey) };
}

/** What the API key that is named says of its end users; null = nothing, or there is no such key. */
export async function endUserRulesOf(
  dependencies: PayerDependencies,
  named: NamedPayer,
): Promise<EndUserRules | null> {
  const apiKey = await findApiKey(dependencies, named);
  return apiKey === undefined ? null : endUserRules(apiKey);
}

async function findApiKey(
  { keys, clock }: PayerDependencies,
  { accountId, apiKeyHash }: NamedPayer,
): Promise<ApiKey | undefined> {
  if (apiKeyHash === null) return undefined;
  const key = await keys.findKey({ accountId, clientId: null }, apiKeyHash);
  const hasExpired = key !== undefined && key.expiresAt !== null && key.expiresAt <= clock.now();
  return hasExpired ? undefined : key;
}

async function findByokKey(
  { byok }: PayerDependencies,
  { accountId, byokKeyId }: NamedPayer,
): Promise<ByokKey | undefined> {
  if (byokKeyId === null || !isUuid(byokKeyId)) return undefined;
  return (await byok.storedKey(accountId, byokKeyId))?.key;
}

function apiKeyViolations({ apiKeyHash }: NamedPayer, key: ApiKey | undefined): Violation[] {
  if (apiKeyHash === null) return [];
  if (key === undefined) return [UNKNOWN_API_KEY];
  return key.disabled ? [DISABLED_API_KEY] : [];
}

async function byokKeyViolations(
  { catalogs }: PayerDependencies,
  { byokKeyId }: NamedPayer,
  key: ByokKey | undefined,
): Promise<Violation[]> {
  if (byokKeyId === null) return [];
  if (key === undefined) return [UNKNOWN_BYOK_KEY];
  const { providers } = await catalogs.current();
  return hasBatches(providers.get(key.provider)) ? [] : [OTHER_PROVIDER];
}

function violation(field: string, rule: string, message: string): Violation {
  return { field, rule, message };
}

const API_KEY_FIELD = 'api_key_hash';
const UNKNOWN_API_KEY = violation(API_KEY_FIELD, 'live', 'is not a live API key of this account');
const DISABLED_API_KEY = violation(API_KEY_FIELD, 'enabled', 'is an API key that is disabled');
const UNKNOWN_BYOK_KEY = violation(KEY_FIELD, 'known', 'is not a BYOK key of this account');
const OTHER_PROVIDER = violation(KEY_FIELD, 'provider', 'is not a key of Google Vertex AI (google-vertex)');
const OTHER_WORKSPACE = violation(KEY_FIELD, 'workspace', "is a key of another workspace than the API key's");
