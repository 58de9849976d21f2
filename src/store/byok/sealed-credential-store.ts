import type { Kysely } from 'kysely';
import { compareText } from '../../base/text.js';
import { sharedContext } from '../../byok/keys/operator-credential.js';
import type { CredentialSource, SharedCredentialStore } from '../../byok/keys/ports.js';
import type { RotationStore } from '../../byok/vault/rotation.js';
import type { CredentialKind, SealedReader, SealedRecord } from '../../byok/vault/sealed-records.js';
import type { Database } from '../database/database.js';
import type { Tables } from '../schema/schema.js';
import { toSealed, toSealedColumns } from '../schema/sealed-columns.js';
import { toByokKey } from './byok-rows.js';
import { keyChangesOf } from './key-changes.js';
import { sealedRecords, storeSealed } from './sealed-tables.js';
import { asSeenIn, rowsUsableIn } from './shared-rows.js';

/** The sealed credentials of providers: read for requests, replaced by the operator, rewrapped by key rotation. */
export function createSealedCredentialStore(
  database: Database,
): CredentialSource & SharedCredentialStore & RotationStore & SealedReader {
  return {
    async storedKeysOf(workspaceId) {
      const rows = await database.query
        .selectFrom('byok_key')
        .selectAll()
        .where(rowsUsableIn(workspaceId))
        .orderBy('provider')
        .orderBy('is_fallback')
        .orderBy('sort_order')
        .execute();
      const keys = rows.map((row) => ({ key: asSeenIn(workspaceId, toByokKey(row)), sealed: toSealed(row) }));
      // Sorting is stable: only keys of other workspaces have another place than their rows.
      return keys.sort(
        ({ key: a }, { key: b }) =>
          compareText(a.provider, b.provider) ||
          Number(a.isFallback) - Number(b.isFallback) ||
          a.sortOrder - b.sortOrder ||
          compareText(a.id, b.id),
      );
    },
    async storedKeysAmong(workspaceId, ids) {
      const rows = await database.query
        .selectFrom('byok_key')
        .selectAll()
        .where('id', 'in', ids)
        .where(rowsUsableIn(workspaceId))
        .execute();
      return rows.map((row) => ({ key: asSeenIn(workspaceId, toByokKey(row)), sealed: toSealed(row) }));
    },
    async placesOf(workspaceId, provider) {
      const rows = await database.query
        .selectFrom('byok_key')
        .select(['id', 'is_fallback', 'sort_order'])
        .where('workspace_id', '=', workspaceId)
        .where('provider', '=', provider)
        .execute();
      return rows.map((row) => ({
        id: row.id,
        isFallback: row.is_fallback === 1,
        sortOrder: row.sort_order,
      }));
    },
    async storedKey(accountId, id) {
      const row = await database.query
        .selectFrom('byok_key')
        .selectAll()
        .where('id', '=', id)
        .where('account_id', '=', accountId)
        .executeTakeFirst();
      return row && { key: toByokKey(row), sealed: toSealed(row) };
    },
    async storedKeys(accountId, ids) {
      const rows = await database.query
        .selectFrom('byok_key')
        .selectAll()
        .where('id', 'in', ids)
        .where('account_id', '=', accountId)
        .execute();
      return rows.map((row) => ({ key: toByokKey(row), sealed: toSealed(row) }));
    },
    async sharedCredentials() {
      const rows = await database.query
        .selectFrom('shared_credential')
        .selectAll()
        .orderBy('provider')
        .execute();
      return rows.map((row) => ({
        provider: row.provider,
        label: row.label,
        sealed: toSealed(row),
        updatedAt: row.updated_at,
      }));
    },
    async providerHeaders() {
      const rows = await database.query.selectFrom('provider_header').selectAll().orderBy('id').execute();
      return rows.map((row) => ({ provider: row.provider, name: row.name, sealed: toSealed(row) }));
    },
    onChange: (listener) => database.onChange('byok', (detail) => listener(keyChangesOf(detail))),
    async putShared({ provider, label, sealed, updatedAt }) {
      const row = { label, ...toSealedColumns(sealed), updated_at: updatedAt };
      await database.transact(['byok'], (tx) =>
        tx
          .insertInto('shared_credential')
          .values({ provider, ...row })
          .onConflict((conflict) => conflict.column('provider').doUpdateSet(row))
          .execute(),
      );
    },
    async deleteShared(provider) {
      await database.transact(['byok'], (tx) =>
        tx.deleteFrom('shared_credential').where('provider', '=', provider).execute(),
      );
    },
    rewrapStale: (kind, masterKeyId, page, rewrap) =>
      database.transact(['byok'], async (tx) => {
        const records = await sealedRecords(tx, kind, { ...page, notUnder: masterKeyId });
        for (const record of records) {
          const sealed = rewrap(record);
          if (sealed !== undefined) await storeSealed(tx, kind, record.context.id, sealed);
        }
        return records.at(-1)?.context.id;
      }),
    sealedRecords: (kind, page) => sealedRecords(database.query, kind, { ...page, notUnder: null }),
    newestSealed: (count) => newestSealed(database.query, count),
    withExclusiveLock: (work) => database.withExclusiveLock(async () => work()),
  };
}

/** BYOK keys are dated by `created_at`, since `updated_at` changes without a new credential. */
async function newestSealed(
  db: Kysely<Tables>,
  count: number,
): Promise<(SealedRecord & { readonly kind: CredentialKind })[]> {
  const keys = await db
    .selectFrom('byok_key')
    .select(['id', 'account_id', 'ciphertext', 'wrapped_data_key', 'master_key_id', 'created_at'])
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(count)
    .execute();
  const shared = await db
    .selectFrom('shared_credential')
    .selectAll()
    .orderBy('updated_at', 'desc')
    .orderBy('provider', 'desc')
    .limit(count)
    .execute();
  return [
    ...keys.map((row) => ({
      kind: 'key' as const,
      storedAt: row.created_at,
      context: { id: row.id, accountId: row.account_id },
      sealed: toSealed(row),
    })),
    ...shared.map((row) => ({
      kind: 'shared' as const,
      storedAt: row.updated_at,
      context: sharedContext(row.provider),
      sealed: toSealed(row),
    })),
  ]
    .sort((a, b) => b.storedAt - a.storedAt)
    .slice(0, count);
}
