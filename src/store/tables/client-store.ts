import { type ClientStore, defaultClientUser } from '../../identity/client.js';
import type { Database } from '../database/database.js';
import { readPage } from '../query/read-page.js';

export function createClientStore(database: Database): ClientStore {
  return {
    addClient: ({ id, accountId, name, userId, createdAt }, secretHash) =>
      database.transact(['identity'], async (tx) => {
        await tx
          .insertInto('client')
          .values({
            id,
            account_id: accountId,
            name,
            secret_hash: secretHash,
            user_id: userId,
            created_at: createdAt,
            deleted_at: null,
          })
          .execute();
      }),

    async listClients(accountId, page) {
      const own = database
        .lists(accountId)
        .selectFrom('client')
        .where('account_id', '=', accountId)
        .where('deleted_at', 'is', null);
      const { rows, totalCount } = await readPage(
        own.select(['id', 'name', 'user_id', 'created_at']).orderBy('created_at').orderBy('id'),
        page,
      );
      const clients = rows.map((row) => ({
        id: row.id,
        accountId,
        name: row.name,
        userId: row.user_id ?? defaultClientUser(row.id),
        createdAt: row.created_at,
      }));
      return { clients, totalCount };
    },

    deleteClient: (accountId, id, nowMs) =>
      database.transact(['identity'], async (tx) => {
        const { numUpdatedRows } = await tx
          .updateTable('client')
          .set({ deleted_at: nowMs })
          .where('account_id', '=', accountId)
          .where('id', '=', id)
          .where('deleted_at', 'is', null)
          .executeTakeFirst();
        if (numUpdatedRows === 0n) return false;
        await tx
          .updateTable('api_key')
          .set({ disabled: 1, updated_at: nowMs })
          .where('client_id', '=', id)
          .where('disabled', '=', 0)
          .where('deleted_at', 'is', null)
          .execute();
        return true;
      }),
  };
}
