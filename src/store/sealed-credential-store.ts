import type { Transaction } from 'kysely';
import type { CredentialSource, SharedCredentialStore } from '../byok/ports.js';
import type { RotationStore, SealedKind, SealedRecord } from '../byok/rotation.js';
import { sharedContext } from '../byok/shared.js';
import type { Sealed } from '../byok/vault.js';
import { toByokKey, toSealed, toSealedColumns } from './byok-rows.js';
import type { Database } from './database.js';
import type { Tables } from './schema.js';

/** The sealed credentials in the database: for those who use them, replace the shared ones, and rotate the vault. */
export function sealedCredentialStore(
  database: Database,
): CredentialSource & SharedCredentialStore & RotationStore {
  return {
    async storedKeysOf(workspaceId) {
      const rows = await database.query
        .selectFrom('byok_key')
        .selectAll()
        .where('workspace_id', '=', workspaceId)
        .orderBy('provider')
        .orderBy('is_fallback')
        .orderBy('sort_order')
        .execute();
      return rows.map((row) => ({ key: toByokKey(row), sealed: toSealed(row) }));
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
    onChange: (listener) => database.onChange('byok', listener),
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
    rewrapStale: (kind, masterKeyId, page, rewrap) =>
      database.transact(['byok'], async (tx) => {
        const records = await staleRecords(tx, kind, masterKeyId, page);
        for (const record of records) {
          const sealed = rewrap(record);
          if (sealed !== undefined) await storeSealed(tx, kind, record.context.id, sealed);
        }
        return records.at(-1)?.context.id;
      }),
    alone: (work) => database.transact([], async () => work()),
  };
}

async function staleRecords(
  tx: Transaction<Tables>,
  kind: SealedKind,
  masterKeyId: string,
  { after, count }: { readonly after: string; readonly count: number },
): Promise<SealedRecord[]> {
  switch (kind) {
    case 'key': {
      const rows = await tx
        .selectFrom('byok_key')
        .select(['id', 'account_id', 'ciphertext', 'wrapped_data_key', 'master_key_id'])
        .where('master_key_id', '!=', masterKeyId)
        .where('id', '>', after)
        .orderBy('id')
        .limit(count)
        .execute();
      return rows.map((row) => ({
        context: { id: row.id, accountId: row.account_id },
        sealed: toSealed(row),
      }));
    }
    case 'shared': {
      const rows = await tx
        .selectFrom('shared_credential')
        .selectAll()
        .where('master_key_id', '!=', masterKeyId)
        .where('provider', '>', after)
        .orderBy('provider')
        .limit(count)
        .execute();
      return rows.map((row) => ({ context: sharedContext(row.provider), sealed: toSealed(row) }));
    }
  }
}

async function storeSealed(
  tx: Transaction<Tables>,
  kind: SealedKind,
  id: string,
  sealed: Sealed,
): Promise<void> {
  const columns = toSealedColumns(sealed);
  switch (kind) {
    case 'key':
      await tx.updateTable('byok_key').set(columns).where('id', '=', id).execute();
      return;
    case 'shared':
      await tx.updateTable('shared_credential').set(columns).where('provider', '=', id).execute();
  }
}
