/** The administration of keys on a real database, with accounts, workspaces and API keys to refer to. */
import { randomBytes } from 'node:crypto';
import type { Transaction } from 'kysely';
import { KEEP } from '../../src/base/change.js';
import { systemIds } from '../../src/base/ids.js';
import { Problem } from '../../src/base/problem.js';
import type { ByokKeyUpdate, NewByokKey } from '../../src/byok/keys/inputs.js';
import type { ProviderDirectory } from '../../src/byok/keys/key-validation.js';
import { ByokKeys } from '../../src/byok/keys/keys.js';
import { MasterKey, masterKeys } from '../../src/byok/vault/master-key.js';
import { createVault } from '../../src/byok/vault/vault.js';
import type { AdapterName } from '../../src/catalog/types.js';
import { createByokStore } from '../../src/store/byok/byok-store.js';
import { createSealedCredentialStore } from '../../src/store/byok/sealed-credential-store.js';
import type { Tables } from '../../src/store/schema/schema.js';
import { openDuringTest, temporaryDatabaseUrl } from '../support/database.js';
import { SAMPLES } from './credentials.fixture.js';

export const START = Date.UTC(2026, 10, 21);

/** Two accounts: `own` with two workspaces and API keys in every state, `foreign` with one of each. */
export const OWN = 'acc00000-0000-4000-8000-000000000001';
export const FOREIGN = 'acc00000-0000-4000-8000-000000000002';
export const DEFAULT_WORKSPACE = 'a0000000-0000-4000-8000-000000000001';
export const SECOND_WORKSPACE = 'a0000000-0000-4000-8000-000000000002';
export const FOREIGN_WORKSPACE = 'a0000000-0000-4000-8000-000000000003';
export const LIVE = 'a'.repeat(64);
export const DISABLED = 'b'.repeat(64);
export const EXPIRED = 'c'.repeat(64);
export const DELETED = 'd'.repeat(64);
export const FOREIGN_HASH = 'e'.repeat(64);
export const UNKNOWN_HASH = 'f'.repeat(64);
export const UNKNOWN_ID = 'ffffffff-ffff-4fff-8fff-ffffffffffff';

/** The query for every key of an account. */
export const ALL_KEYS = { workspaceId: null, provider: null, offset: 0, limit: 100 };

const ADAPTER_OF: Readonly<Record<string, AdapterName>> = {
  openai: 'openai',
  mistral: 'openai',
  anthropic: 'anthropic',
  azure: 'azure',
  'amazon-bedrock': 'amazon-bedrock',
  'google-vertex': 'google-vertex',
  demo: 'demo',
};

const PROVIDERS: ProviderDirectory = {
  adapterOf: (slug) => ADAPTER_OF[slug],
  slugs: () => Object.keys(ADAPTER_OF),
};

export const RULES = { allowPrivateUpstreams: false };

export async function openDesk() {
  const url = await temporaryDatabaseUrl();
  const database = await openDuringTest(url);
  await database.transact(['identity'], fill);
  const clock = { time: START, now: () => clock.time };
  const vault = createVault(masterKeys('test', [new MasterKey(randomBytes(32))]));
  const parts = { vault, providers: PROVIDERS, rules: RULES, clock };
  const keys = new ByokKeys({ ...parts, store: createByokStore(database), ids: systemIds });
  return { ...parts, url, database, credentials: createSealedCredentialStore(database), keys };
}

/** A new key for `openai` with these members. */
export function newKey(members: Partial<NewByokKey> = {}): NewByokKey {
  return {
    provider: 'openai',
    key: SAMPLES.openai,
    name: null,
    disabled: false,
    isFallback: false,
    isRequired: false,
    isByokOnly: false,
    declaredZdr: null,
    allowedModels: null,
    allowedApiKeyHashes: null,
    allowedUserIds: null,
    workspaceIds: null,
    workspaceId: null,
    ...members,
  };
}

/** An update of these members. */
export function changing(members: Partial<ByokKeyUpdate>): ByokKeyUpdate {
  return {
    key: KEEP,
    name: KEEP,
    disabled: KEEP,
    isFallback: KEEP,
    isRequired: KEEP,
    isByokOnly: KEEP,
    declaredZdr: KEEP,
    allowedModels: KEEP,
    allowedApiKeyHashes: KEEP,
    allowedUserIds: KEEP,
    workspaceIds: KEEP,
    sortOrder: KEEP,
    ...members,
  };
}

/** The error of a call: the violations as `field rule`, or the reason. */
export async function refusal(call: Promise<unknown>): Promise<string[] | string> {
  try {
    await call;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    if (error.reason !== 'invalid_request') return error.reason;
    return error.violations.map(({ field, rule }) => `${field} ${rule}`);
  }
  return 'accepted';
}

async function fill(tx: Transaction<Tables>): Promise<void> {
  const account = (id: string) =>
    ({ id, name: id, plan: 'enterprise', owner_user_id: 'user_1', created_at: 1 }) as const;
  await tx
    .insertInto('account')
    .values([account(OWN), account(FOREIGN)])
    .execute();
  const workspace = (id: string, account_id: string, is_default: number) => ({
    id,
    account_id,
    is_default,
    name: id,
    slug: id,
    description: null,
    created_at: 1,
    updated_at: 1,
  });
  await tx
    .insertInto('workspace')
    .values([
      workspace(DEFAULT_WORKSPACE, OWN, 1),
      workspace(SECOND_WORKSPACE, OWN, 0),
      workspace(FOREIGN_WORKSPACE, FOREIGN, 1),
    ])
    .execute();
  const apiKey = (
    hash: string,
    state: { disabled?: number; expires_at?: number; deleted_at?: number } = {},
  ) => ({
    hash,
    account_id: OWN,
    workspace_id: DEFAULT_WORKSPACE,
    client_id: null,
    creator_user_id: 'user_1',
    name: 'k',
    label: 'k',
    limit_nano_usd: null,
    limit_reset: null,
    include_byok_in_limit: 0,
    created_at: 1,
    updated_at: 1,
    disabled: 0,
    expires_at: null,
    deleted_at: null,
    ...state,
  });
  await tx
    .insertInto('api_key')
    .values([
      apiKey(LIVE, { expires_at: START + 1 }),
      apiKey(DISABLED, { disabled: 1 }),
      apiKey(EXPIRED, { expires_at: START }),
      apiKey(DELETED, { deleted_at: START }),
      { ...apiKey(FOREIGN_HASH), account_id: FOREIGN, workspace_id: FOREIGN_WORKSPACE },
    ])
    .execute();
}
