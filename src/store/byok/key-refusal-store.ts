import type { KeyRefusalStore } from '../../byok/key-refusals.js';
import type { Database } from '../database/database.js';
import type { RefusalColumns } from '../schema/refusal-columns.js';
import { NOT_REFUSED } from './byok-rows.js';

/** Refusals do not affect the decisions about requests, so no cache is told of them. */
export function createKeyRefusalStore(database: Database): KeyRefusalStore {
  const write = (keyId: string, values: RefusalColumns) =>
    database.transact([], async (tx) => {
      await tx.updateTable('byok_key').set(values).where('id', '=', keyId).execute();
    });
  return {
    record: (keyId, { reason, status, at }) =>
      write(keyId, { refusal_reason: reason, refusal_status: status, refused_at: at }),
    clear: (keyId) => write(keyId, NOT_REFUSED),
    async refusedKeyIds() {
      const rows = await database.query
        .selectFrom('byok_key')
        .select('id')
        .where('refused_at', 'is not', null)
        .execute();
      return rows.map(({ id }) => id);
    },
  };
}
