import type { Insertable } from 'kysely';
import type { OperatorKey, OperatorKeyStore } from '../../identity/operator-key.js';
import type { Database } from '../database/database.js';
import type { OperatorKeyTable } from '../schema/schema.js';

export function createOperatorKeyStore(database: Database): OperatorKeyStore {
  return {
    addOperatorKey: (key) =>
      database.transact(['identity'], async (tx) => {
        await tx.insertInto('operator_key').values(operatorKeyRow(key)).execute();
      }),

    async listOperatorKeys() {
      const rows = await database.query
        .selectFrom('operator_key')
        .select(['hash', 'name', 'label', 'created_at as createdAt'])
        .where('revoked_at', 'is', null)
        .orderBy('created_at')
        .orderBy('hash')
        .execute();
      return rows;
    },

    revokeOperatorKey: (hash, nowMs) =>
      database.transact(['identity'], async (tx) => {
        const { numUpdatedRows } = await tx
          .updateTable('operator_key')
          .set({ revoked_at: nowMs })
          .where('hash', '=', hash)
          .where('revoked_at', 'is', null)
          .executeTakeFirst();
        return numUpdatedRows === 1n;
      }),
  };
}

export function operatorKeyRow({ hash, name, label, createdAt }: OperatorKey): Insertable<OperatorKeyTable> {
  return { hash, name, label, created_at: createdAt, revoked_at: null };
}
