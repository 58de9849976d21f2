import type { Insertable, Kysely, Selectable, Transaction } from 'kysely';
import type { ApiKey, KeyOwner, KeyQuery, KeyScope, KeyStore } from '../../identity/api-key.js';
import type { ApiKeyPrincipal } from '../../identity/principal.js';
import type { Database } from '../database/database.js';
import { groupCommit } from '../ledger/group-commit.js';
import { preparedSelect, preparedUpdate } from '../query/prepared.js';
import { readPage } from '../query/read-page.js';
import type { ApiKeyTable, Tables } from '../schema/schema.js';
import { hadWorkspace } from './record-names.js';
import { findWorkspaceId } from './workspace-rows.js';

export function createKeyStore(database: Database): KeyStore {
  const write = groupCommit(database);
  const selectKey = keySelection(database);
  const replaceKey = keyReplacement(database);
  const deleteKey = keyDeletion(database);
  const findOwnKey = ownKeySelection(database, selectKey);
  return {
    createKey: (scope, workspaceId, make) =>
      database.transact(['identity'], async (tx) => {
        const owner = await findOwner(tx, scope, workspaceId);
        if (owner === undefined) return undefined;
        const key = make(owner);
        await tx.insertInto('api_key').values(apiKeyRow(key)).execute();
        return key;
      }),

    findKey: (scope, hash) => selectKey(scope, hash),

    findOwnKey,

    listKeys: (scope, query) => selectPage(database.lists(scope.accountId), scope, query),

    async ownsWorkspace(accountId, workspaceId) {
      return (await findWorkspaceId(database.query, accountId, workspaceId)) !== undefined;
    },

    hadWorkspace: (accountId, workspaceId) => hadWorkspace(database.query, accountId, workspaceId),

    updateKey: (scope, hash, change) =>
      write(async (tx, scopes) => {
        const current = await selectKey(scope, hash, tx);
        if (current === undefined) return undefined;
        const next = change(current);
        if (next === current) return current;
        await replaceKey(apiKeyRow(next), tx);
        scopes.add('identity');
        return next;
      }),

    deleteKey: (scope, hash, nowMs) =>
      write(async (tx, scopes) => {
        if ((await selectKey(scope, hash, tx)) === undefined) return false;
        await deleteKey({ hash, nowMs }, tx);
        scopes.add('identity');
        return true;
      }),
  };
}

/** undefined when the account, or the client of the scope, does not exist. */
async function findOwner(
  tx: Transaction<Tables>,
  { accountId, clientId }: KeyScope,
  workspaceId: string | null,
): Promise<KeyOwner | undefined> {
  const account = await tx
    .selectFrom('account')
    .select('owner_user_id')
    .where('id', '=', accountId)
    .$if(clientId !== null, (query) =>
      query.where(({ exists, selectFrom }) =>
        exists(
          selectFrom('client')
            .select('client.id')
            .whereRef('client.account_id', '=', 'account.id')
            .where('client.id', '=', clientId)
            .where('client.deleted_at', 'is', null),
        ),
      ),
    )
    .executeTakeFirst();
  if (account === undefined) return undefined;
  return {
    ownerUserId: account.owner_user_id,
    workspaceId: await findWorkspaceId(tx, accountId, workspaceId),
  };
}

/** Finds one key, within a transaction if given. */
function keySelection({ query }: Database) {
  type Parameters = { readonly accountId: string; readonly clientId: string; readonly hash: string };
  const ofClient = preparedSelect(query, (db, { accountId, clientId, hash }: Parameters) =>
    keysInScope(db, { accountId, clientId }).selectAll().where('hash', '=', hash).compile(),
  );
  const ofAccount = preparedSelect(query, (db, { accountId, hash }: Omit<Parameters, 'clientId'>) =>
    keysInScope(db, { accountId, clientId: null }).selectAll().where('hash', '=', hash).compile(),
  );
  return async (
    { accountId, clientId }: KeyScope,
    hash: string,
    within?: Transaction<Tables>,
  ): Promise<ApiKey | undefined> => {
    const [row] =
      clientId === null
        ? await ofAccount({ accountId, hash }, within)
        : await ofClient({ accountId, clientId, hash }, within);
    return row === undefined ? undefined : keyOf(row);
  };
}

type SelectKey = ReturnType<typeof keySelection>;

/**
 * Finds the key of a principal. Where one process serves from the database, it reads the key once for each principal
 * until a key changes; the authenticator bounds how many principals there are.
 */
function ownKeySelection({ exclusive, onChange }: Database, select: SelectKey): KeyStore['findOwnKey'] {
  const find = ({ accountId, keyHash }: ApiKeyPrincipal) => select({ accountId, clientId: null }, keyHash);
  if (exclusive === null) return find;
  let found = new WeakMap<ApiKeyPrincipal, ApiKey>();
  onChange('identity', () => {
    found = new WeakMap();
  });
  return async (caller) => {
    // What is read before a change is not found after it.
    const current = found;
    const known = current.get(caller);
    if (known !== undefined) return known;
    const key = await find(caller);
    if (key !== undefined) current.set(caller, key);
    return key;
  };
}

/** Writes the fields of a key that an update can change. */
function keyReplacement({ query }: Database) {
  return preparedUpdate(query, (db, row: Insertable<ApiKeyTable>) =>
    db
      .updateTable('api_key')
      .set({
        name: row.name,
        disabled: row.disabled,
        limit_nano_usd: row.limit_nano_usd,
        limit_reset: row.limit_reset,
        include_byok_in_limit: row.include_byok_in_limit,
        end_user_limit_nano_usd: row.end_user_limit_nano_usd,
        end_user_limit_reset: row.end_user_limit_reset,
        end_user_required: row.end_user_required,
        cache_ttl: row.cache_ttl,
        updated_at: row.updated_at,
      })
      .where('hash', '=', row.hash)
      .compile(),
  );
}

function keyDeletion({ query }: Database) {
  return preparedUpdate(query, (db, { hash, nowMs }: { hash: string; nowMs: number }) =>
    db.updateTable('api_key').set({ deleted_at: nowMs }).where('hash', '=', hash).compile(),
  );
}

async function selectPage(
  db: Kysely<Tables>,
  scope: KeyScope,
  { includeDisabled, workspaceId, ...page }: KeyQuery,
): Promise<{ keys: readonly ApiKey[]; totalCount: number }> {
  const matching = keysInScope(db, scope)
    .$if(!includeDisabled, (query) => query.where('disabled', '=', 0))
    .$if(workspaceId !== null, (query) => query.where('workspace_id', '=', workspaceId));
  const { rows, totalCount } = await readPage(
    matching.selectAll().orderBy('created_at').orderBy('hash'),
    page,
  );
  return { keys: rows.map(keyOf), totalCount };
}

/** The keys that a caller may see; every query of keys starts here. */
function keysInScope(db: Kysely<Tables>, { accountId, clientId }: KeyScope) {
  return db
    .selectFrom('api_key')
    .where('account_id', '=', accountId)
    .where('deleted_at', 'is', null)
    .$if(clientId !== null, (query) => query.where('client_id', '=', clientId));
}

function keyOf(row: Selectable<ApiKeyTable>): ApiKey {
  return {
    hash: row.hash,
    accountId: row.account_id,
    workspaceId: row.workspace_id,
    clientId: row.client_id,
    creatorUserId: row.creator_user_id,
    name: row.name,
    label: row.label,
    disabled: row.disabled === 1,
    limitNanoUsd: row.limit_nano_usd,
    limitReset: row.limit_reset,
    includeByokInLimit: row.include_byok_in_limit === 1,
    endUserLimitNanoUsd: row.end_user_limit_nano_usd,
    endUserLimitReset: row.end_user_limit_reset,
    endUserRequired: row.end_user_required === 1,
    cacheTtl: row.cache_ttl,
    expiresAt: row.expires_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

export function apiKeyRow(key: ApiKey): Insertable<ApiKeyTable> {
  return {
    hash: key.hash,
    account_id: key.accountId,
    workspace_id: key.workspaceId,
    client_id: key.clientId,
    creator_user_id: key.creatorUserId,
    name: key.name,
    label: key.label,
    disabled: key.disabled ? 1 : 0,
    limit_nano_usd: key.limitNanoUsd,
    limit_reset: key.limitReset,
    include_byok_in_limit: key.includeByokInLimit ? 1 : 0,
    end_user_limit_nano_usd: key.endUserLimitNanoUsd,
    end_user_limit_reset: key.endUserLimitReset,
    end_user_required: key.endUserRequired ? 1 : 0,
    cache_ttl: key.cacheTtl,
    expires_at: key.expiresAt,
    created_at: key.createdAt,
    updated_at: key.updatedAt,
    deleted_at: null,
  };
}
