import { type Kysely, sql, type Transaction } from 'kysely';
import type { ByokKeyQuery } from '../../byok/keys/inputs.js';
import type { ByokLookups, ByokStore, ByokTransaction, KeyChange } from '../../byok/keys/ports.js';
import type { Shift } from '../../byok/keys/sections.js';
import type { ByokKey } from '../../byok/types.js';
import type { Database } from '../database/database.js';
import type { RevisionChange } from '../database/revisions.js';
import { readPage } from '../query/read-page.js';
import type { Tables } from '../schema/schema.js';
import { toSealedColumns } from '../schema/sealed-columns.js';
import { hadWorkspace, keepName } from '../tables/record-names.js';
import { findWorkspaceId } from '../tables/workspace-rows.js';
import { BYOK_KEY_COLUMNS, NOT_REFUSED, toByokKey, toByokKeyRow } from './byok-rows.js';
import { keyChangesText } from './key-changes.js';
import { rowsUsableIn } from './shared-rows.js';

export function createByokStore(database: Database): ByokStore {
  return {
    ...lookups(database.query),
    transact(work) {
      const changes: RevisionChange[] = [];
      return database.transact(changes, async (tx) => {
        const changed: KeyChange[] = [];
        const result = await work(byokTransaction(tx, changed));
        const detail = keyChangesText(changed);
        changes.splice(
          0,
          changes.length,
          ...(changed.length === 0 ? [] : [{ scope: 'byok' as const, detail }]),
        );
        return result;
      });
    },
    hadWorkspace: (accountId, workspaceId) => hadWorkspace(database.query, accountId, workspaceId),
    async list(accountId, query) {
      const ordered = matching(database.lists(accountId), accountId, query)
        .select(BYOK_KEY_COLUMNS)
        .orderBy('created_at')
        .orderBy('id');
      const { rows, totalCount } = await readPage(ordered, query);
      return { keys: rows.map(toByokKey), totalCount };
    },
  };
}

function matching(db: Kysely<Tables>, accountId: string, { workspaceId, provider }: ByokKeyQuery) {
  return db
    .selectFrom('byok_key')
    .where('account_id', '=', accountId)
    .$if(workspaceId !== null, (query) => query.where(rowsUsableIn(workspaceId ?? '')))
    .$if(provider !== null, (query) => query.where('provider', '=', provider));
}

/** Adds to `changed` what it changes. */
function byokTransaction(tx: Transaction<Tables>, changed: KeyChange[]): ByokTransaction {
  const changedKey = (key: ByokKey, before = key) => {
    const isShared = key.workspaceIds !== null || before.workspaceIds !== null;
    changed.push({
      workspaceId: key.workspaceId,
      ids: [key.id],
      sharedBy: isShared ? key.accountId : null,
      rearranged: null,
    });
  };
  return {
    ...lookups(tx),
    async sectionSize({ workspaceId, provider, isFallback }) {
      const { size } = await tx
        .selectFrom('byok_key')
        .select(({ fn }) => fn.countAll<number>().as('size'))
        .where('workspace_id', '=', workspaceId)
        .where('provider', '=', provider)
        .where('is_fallback', '=', Number(isFallback))
        .executeTakeFirstOrThrow();
      return size;
    },
    async insert(key, sealed) {
      await tx
        .insertInto('byok_key')
        .values({ ...toByokKeyRow(key), ...toSealedColumns(sealed) })
        .execute();
      changedKey(key);
    },
    async replace(current, key, sealed) {
      await tx
        .updateTable('byok_key')
        .set({
          ...toByokKeyRow(key),
          ...(sealed === undefined ? {} : { ...toSealedColumns(sealed), ...NOT_REFUSED }),
        })
        .where('id', '=', key.id)
        .execute();
      changedKey(key, current);
    },
    async rearrange({ workspaceId, provider }, current, { position, shifts }) {
      const isCurrent = isIn({ ...current, from: current.sortOrder, to: current.sortOrder });
      const moved = shifts.map((shift) => sql`when ${isIn(shift)} then sort_order + ${sql.lit(shift.by)}`);
      const sections = shifts.map(({ isFallback }) => Number(isFallback));
      // No index has `sort_order`, so that none is written. What deadlocks is run again.
      await sql`
        update byok_key set
          is_fallback = case when ${isCurrent} then ${Number(position.isFallback)} else is_fallback end,
          sort_order = case when ${isCurrent} then ${position.sortOrder} ${sql.join(moved, sql` `)} else sort_order end
        where workspace_id = ${workspaceId} and provider = ${provider}
          and is_fallback between ${Math.min(...sections)} and ${Math.max(...sections)}
          and (${sql.join([isCurrent, ...shifts.map(isIn)], sql` or `)})`.execute(tx);
      changed.push({ workspaceId, ids: [], sharedBy: null, rearranged: provider });
    },
    async closeGap({ workspaceId, provider, isFallback, sortOrder }) {
      const { numUpdatedRows } = await tx
        .updateTable('byok_key')
        .set((eb) => ({ sort_order: eb('sort_order', '-', 1) }))
        .where('workspace_id', '=', workspaceId)
        .where('provider', '=', provider)
        .where('is_fallback', '=', Number(isFallback))
        .where('sort_order', '>', sortOrder)
        .executeTakeFirstOrThrow();
      if (numUpdatedRows > 0n) changed.push({ workspaceId, ids: [], sharedBy: null, rearranged: provider });
    },
    async delete(key) {
      await tx.deleteFrom('byok_key').where('id', '=', key.id).execute();
      const { id, accountId, name, label } = key;
      await keepName(tx, { id, account_id: accountId, kind: 'byok_key', name: name ?? label });
      changedKey(key);
    },
  };
}

function isIn({ isFallback, from, to }: Omit<Shift, 'by'>) {
  return sql`(is_fallback = ${Number(isFallback)} and sort_order between ${from} and ${to})`;
}

function lookups(db: Kysely<Tables>): ByokLookups {
  return {
    async find(accountId, id) {
      const row = await db
        .selectFrom('byok_key')
        .select(BYOK_KEY_COLUMNS)
        .where('id', '=', id)
        .where('account_id', '=', accountId)
        .executeTakeFirst();
      return row && toByokKey(row);
    },
    workspaceId: (accountId, workspaceId) => findWorkspaceId(db, accountId, workspaceId),
    async workspacesAmong(accountId, ids) {
      const rows = await db
        .selectFrom('workspace')
        .select('id')
        .where('account_id', '=', accountId)
        .where('id', 'in', ids)
        .execute();
      return new Set(rows.map((row) => row.id));
    },
    async liveHashes(accountId, hashes, now) {
      const rows = await db
        .selectFrom('api_key')
        .select('hash')
        .where('account_id', '=', accountId)
        .where('hash', 'in', hashes)
        .where('deleted_at', 'is', null)
        .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', now)]))
        .execute();
      return new Set(rows.map((row) => row.hash));
    },
    async usersWithKeys(accountId, userIds) {
      const rows = await db
        .selectFrom('api_key')
        .select('creator_user_id')
        .distinct()
        .where('account_id', '=', accountId)
        .where('creator_user_id', 'in', userIds)
        .where('deleted_at', 'is', null)
        .execute();
      return new Set(rows.map((row) => row.creator_user_id));
    },
  };
}
