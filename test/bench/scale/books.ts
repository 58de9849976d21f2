/** Books of an account that has grown, made in bulk. */
import { createWorkspace } from '../../../src/accounts/workspaces/workspaces.js';
import { systemClock } from '../../../src/base/clock.js';
import { systemIds } from '../../../src/base/ids.js';
import { loadMasterKeys } from '../../../src/byok/vault/master-key-settings.js';
import { createVault } from '../../../src/byok/vault/vault.js';
import { mintSecret, secretOf } from '../../../src/identity/secret.js';
import type { Database } from '../../../src/store/database/database.js';
import { openDatabase } from '../../../src/store/open.js';
import { toSealedColumns } from '../../../src/store/schema/sealed-columns.js';
import { createStores } from '../../../src/store/stores.js';
import type { Subject } from '../subject.js';
import { addRecords } from './records.js';

/** How much there is of what grows. */
export interface BookSize {
  readonly records: number;
  readonly apiKeys: number;
  readonly providerKeys: number;
  /** Each with a guardrail of its own. */
  readonly workspaces: number;
}

/** Rows per statement, within the bound of its parameters. */
const ROWS_AT_ONCE = 500;

interface Owner {
  readonly accountId: string;
  readonly workspaceId: string;
  readonly ownerUserId: string;
}

/** Secrets of API keys. */
export interface GrownKeys {
  /** Spread over the workspaces; the records are theirs. */
  readonly apiKeys: readonly string[];
  /** Of the default workspace, each with a provider key that only it may use. */
  readonly withProviderKey: readonly string[];
}

/**
 * Adds workspaces, API keys in them with records over the year before now, and in the default workspace API keys with a
 * provider key each, in the place of the provider key that was there. No gateway may serve from the data now.
 */
export async function growBooks(subject: Subject, databaseUrl: string, size: BookSize): Promise<GrownKeys> {
  const database = await openDatabase(databaseUrl);
  try {
    const owner = await ownerOf(database, secretOf(subject.apiKey).hash);
    const withProviderKey = mintKeys(size.providerKeys, [owner.workspaceId]);
    await addApiKeys(database, owner, withProviderKey);
    const secrets = withProviderKey.map(({ secret }) => secret);
    await replaceProviderKeys(database, owner, subject.dataDir, secrets);
    const apiKeys = mintKeys(size.apiKeys, await addWorkspaces(database, owner, size.workspaces));
    await addApiKeys(database, owner, apiKeys);
    await addRecords(
      database,
      size.records,
      apiKeys.map(({ minted, workspaceId }) => ({
        accountId: owner.accountId,
        workspaceId,
        apiKeyHash: minted.hash,
        userId: owner.ownerUserId,
      })),
    );
    return { apiKeys: apiKeys.map(({ secret }) => secret), withProviderKey: secrets };
  } finally {
    await database.close();
  }
}

async function addWorkspaces(database: Database, { accountId }: Owner, count: number): Promise<string[]> {
  const common = { clock: systemClock, ids: systemIds };
  const { workspaces: store } = createStores(database, common);
  const ids: string[] = [];
  for (let number = 0; number < count; number++) {
    const wanted = { name: `Grown ${number}`, slug: `grown-${number}`, description: null };
    ids.push((await createWorkspace({ store, ...common }, accountId, wanted)).id);
  }
  return ids;
}

async function ownerOf(database: Database, apiKeyHash: string): Promise<Owner> {
  const row = await database.query
    .selectFrom('api_key')
    .innerJoin('account', 'account.id', 'api_key.account_id')
    .select(['account_id', 'workspace_id', 'owner_user_id'])
    .where('hash', '=', apiKeyHash)
    .executeTakeFirstOrThrow();
  return {
    accountId: row.account_id,
    workspaceId: row.workspace_id,
    ownerUserId: row.owner_user_id,
  };
}

interface NewKey {
  readonly minted: ReturnType<typeof mintSecret>;
  readonly secret: string;
  readonly workspaceId: string;
}

/** In these workspaces in turn. */
function mintKeys(count: number, workspaceIds: readonly string[]): NewKey[] {
  return Array.from({ length: count }, (_, number) => {
    const minted = mintSecret('api_key', systemIds);
    return { minted, secret: minted.text, workspaceId: workspaceIds[number % workspaceIds.length] ?? '' };
  });
}

async function addApiKeys(
  database: Database,
  { accountId, ownerUserId }: Owner,
  keys: readonly NewKey[],
): Promise<void> {
  const now = Date.now();
  await inParts(keys, (part) =>
    database.transact(['identity'], (tx) =>
      tx
        .insertInto('api_key')
        .values(
          part.map(({ minted: { hash, label }, workspaceId }) => ({
            hash,
            label,
            account_id: accountId,
            workspace_id: workspaceId,
            client_id: null,
            creator_user_id: ownerUserId,
            name: 'Grown',
            disabled: 0,
            limit_nano_usd: null,
            limit_reset: null,
            include_byok_in_limit: 0,
            expires_at: null,
            created_at: now,
            updated_at: now,
            deleted_at: null,
          })),
        )
        .execute(),
    ),
  );
}

async function replaceProviderKeys(
  database: Database,
  { accountId, workspaceId }: Owner,
  dataDirectory: string,
  secrets: readonly string[],
): Promise<void> {
  const none = { masterKey: undefined, masterKeyFile: undefined, masterKeyPrevious: undefined };
  const vault = createVault(loadMasterKeys({ ...none, dataDirectory }).keys);
  const now = Date.now();
  const rows = secrets.map((secret, position) => {
    const id = systemIds.uuid();
    return {
      id,
      account_id: accountId,
      workspace_id: workspaceId,
      provider: 'openai',
      label: '...',
      name: null,
      disabled: 0,
      is_fallback: 0,
      is_required: 0,
      is_byok_only: 0,
      declared_zdr: null,
      allowed_models_json: null,
      allowed_api_key_hashes_json: JSON.stringify([secretOf(secret).hash]),
      allowed_user_ids_json: null,
      sort_order: position,
      created_at: now,
      updated_at: now,
      ...toSealedColumns(vault.seal(`sk-bench-${position}-0123456789abcdefghijkl`, { id, accountId })),
    };
  });
  await database.transact(['byok'], (tx) => tx.deleteFrom('byok_key').execute());
  await inParts(rows, (part) =>
    database.transact(['byok'], (tx) =>
      tx
        .insertInto('byok_key')
        .values([...part])
        .execute(),
    ),
  );
}

async function inParts<T>(all: readonly T[], write: (part: readonly T[]) => Promise<unknown>): Promise<void> {
  for (let first = 0; first < all.length; first += ROWS_AT_ONCE) {
    await write(all.slice(first, first + ROWS_AT_ONCE));
  }
}
