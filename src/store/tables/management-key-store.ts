import type { Insertable } from 'kysely';
import type { ManagementKey, ManagementKeyStore } from '../../identity/management-key.js';
import type { Database } from '../database/database.js';
import type { ManagementKeyTable } from '../schema/schema.js';

export function createManagementKeyStore(database: Database): ManagementKeyStore {
  return {
    addManagementKey: (key) =>
      database.transact(['identity'], async (tx) => {
        const account = await tx
          .selectFrom('account')
          .select('id')
          .where('id', '=', key.accountId)
          .executeTakeFirst();
        if (account === undefined) return false;
        await tx.insertInto('management_key').values(managementKeyRow(key)).execute();
        return true;
      }),

    async listManagementKeys(accountId) {
      const rows = await database.query
        .selectFrom('management_key')
        .selectAll()
        .where('account_id', '=', accountId)
        .where('revoked_at', 'is', null)
        .orderBy('created_at')
        .orderBy('hash')
        .execute();
      return rows.map((row) => ({
        hash: row.hash,
        accountId: row.account_id,
        name: row.name,
        label: row.label,
        createdAt: row.created_at,
      }));
    },

    revokeManagementKey: (accountId, hash, nowMs) =>
      database.transact(['identity'], async (tx) => {
        const { numUpdatedRows } = await tx
          .updateTable('management_key')
          .set({ revoked_at: nowMs })
          .where('account_id', '=', accountId)
          .where('hash', '=', hash)
          .where('revoked_at', 'is', null)
          .executeTakeFirst();
        return numUpdatedRows === 1n;
      }),
  };
}

export function managementKeyRow(key: ManagementKey): Insertable<ManagementKeyTable> {
  return {
    hash: key.hash,
    account_id: key.accountId,
    name: key.name,
    label: key.label,
    created_at: key.createdAt,
    revoked_at: null,
  };
}
