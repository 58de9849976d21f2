/** Books of an account that has grown, made in bulk. */
import { createWorkspace } from '../../../src/accounts/workspaces/workspaces.js';
import { systemClock } from '../../../src/base/clock.js';
import { systemIds } from '../../../src/base/ids.js';
import { loadMasterKeys } from '../../../src/byok/vault/master-key-settings.js';
import { createVault } from '../../../src/byok/vault/vault.js';
import { mintSecret, secretOf } from '../../../src/identity/secret.js';
import { toSealedColumns } from '../../../src/store/byok/byok-rows.js';
import type { Database } from '../../../src/store/database.js';
import { openDatabase } from '../../../src/store/open.js';
import { createStores } from '../../../src/store/stores.js';
import { addGenerations } from '../../support/many-generations.js';
import type { Subject } from '../subject.js';

/** How much there is of what grows. */
export interface BookSize {
  readonly records: number;
  readonly apiKeys: number;
  readonly providerKeys: number;
  /** Each with a guardrail of its own. */
  readonly workspaces: number;
}

const YEAR_MS = 365 * 86_400_000;

/** Rows per statement, within the bound of its parameters. */
const ROWS_AT_ONCE = 500;

interface Owner {
  readonly accountId: string;
  readonly workspaceId: string;
  readonly ownerUserId: string;
  readonly apiKeyHash: string;
}

/**
 * Adds records over the year before now, workspaces, API keys and, for each of the first of these, a provider key that only
 * it may use, in the place of the provider key that was there. Returns the secrets of the API keys. No gateway may serve
 * from the data now.
 */
export async function growBooks(subject: Subject, databaseUrl: string, size: BookSize): Promise<string[]> {
  const database = await openDatabase(databaseUrl);
  try {
    const owner = await ownerOf(database, secretOf(subject.apiKey).hash);
    const secrets = await addApiKeys(database, owner, size.apiKeys);
    await replaceProviderKeys(database, owner, subject.dataDir, secrets.slice(0, size.providerKeys));
    const stores = createStores(database, { clock: systemClock, ids: systemIds });
    const common = { clock: systemClock, ids: systemIds };
    for (let number = 0; number < size.workspaces; number++) {
      const wanted = { name: `Grown ${number}`, slug: `grown-${number}`, description: null };
      await createWorkspace({ store: stores.workspaces, ...common }, owner.accountId, wanted);
    }
    await addGenerations(database, size.records, owner, YEAR_MS / size.records);
    return secrets;
  } finally {
    await database.close();
  }
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
    apiKeyHash,
  };
}

async function addApiKeys(
  database: Database,
  { accountId, workspaceId, ownerUserId }: Owner,
  count: number,
): Promise<string[]> {
  const minted = Array.from({ length: count }, () => mintSecret('api_key', systemIds));
  const now = Date.now();
  await inParts(minted, (part) =>
    database.transact(['identity'], (tx) =>
      tx
        .insertInto('api_key')
        .values(
          part.map(({ hash, label }) => ({
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
  return minted.map(({ text }) => text);
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
