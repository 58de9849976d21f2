import { type Kysely, sql, type Transaction } from 'kysely';
import type { RecordName, RecordNameReader } from '../../accounts/record-names.js';
import type { Database } from '../database/database.js';
import type { DeletedNameTable, Tables } from '../schema/schema.js';

export function createRecordNameReader({ query }: Database): RecordNameReader {
  return {
    hadWorkspace: (accountId, workspaceId) => hadWorkspace(query, accountId, workspaceId),

    async namesOf(accountId, { apiKeyHashes, workspaceIds, byokKeyIds }) {
      const hashes = [...new Set(apiKeyHashes)];
      const workspaces = [...new Set(workspaceIds)];
      const byokKeys = [...new Set(byokKeyIds)];
      const sources = [
        { ids: hashes, id: 'hash', select: API_KEYS },
        { ids: workspaces, id: 'id', select: WORKSPACES },
        { ids: byokKeys, id: 'id', select: BYOK_KEYS },
        { ids: [...workspaces, ...byokKeys], id: 'id', select: DELETED },
      ].filter(({ ids }) => ids.length > 0);
      const parts = sources.map(
        ({ ids, id, select }) =>
          sql`${select} where account_id = ${accountId} and ${sql.ref(id)} in (${sql.join(ids)})`,
      );
      const found = new Map<string, RecordName>();
      if (parts.length > 0) {
        const { rows } = await sql<NamedRow>`${sql.join(parts, sql` union all `)}`.execute(query);
        for (const { id, name, deleted } of rows) found.set(id, { name, isDeleted: deleted === 1 });
      }
      return (id) => found.get(id) ?? { name: null, isDeleted: true };
    },
  };
}

const API_KEYS = sql`
  select hash as id, name, case when deleted_at is null then 0 else 1 end as deleted from api_key`;
const WORKSPACES = sql`select id, name, 0 as deleted from workspace`;
const BYOK_KEYS = sql`select id, coalesce(name, label) as name, 0 as deleted from byok_key`;
const DELETED = sql`select id, name, 1 as deleted from deleted_name`;

interface NamedRow {
  readonly id: string;
  readonly name: string;
  readonly deleted: number;
}

/**
 * API keys keep their rows, which tell of workspaces that were deleted by a version that kept no names: usage is always
 * of an API key.
 */
export async function hadWorkspace(
  db: Kysely<Tables>,
  accountId: string,
  workspaceId: string,
): Promise<boolean> {
  const { rows } = await sql`
    select 1 where exists (select 1 from workspace where id = ${workspaceId} and account_id = ${accountId})
      or exists (
        select 1 from deleted_name where id = ${workspaceId} and account_id = ${accountId} and kind = 'workspace'
      )
      or exists (select 1 from api_key where workspace_id = ${workspaceId} and account_id = ${accountId})`.execute(
    db,
  );
  return rows.length > 0;
}

/** Must be in the transaction that removes the row. */
export async function keepName(tx: Transaction<Tables>, deleted: DeletedNameTable): Promise<void> {
  await tx.insertInto('deleted_name').values(deleted).execute();
}
