import { type Kysely, type Selectable, sql } from 'kysely';
import type { AccountMemberStore } from '../../accounts/account/account-members.js';
import type { MemberStore, WorkspaceMember } from '../../accounts/workspaces/members.js';
import type { Database } from '../database/database.js';
import { readPage } from '../query/read-page.js';
import type { Tables, WorkspaceMemberTable } from '../schema/schema.js';
import { findWorkspace } from './workspace-rows.js';

/** Bumps no revision, since members are not cached. */
export function createMemberStore(database: Database): MemberStore & AccountMemberStore {
  return {
    async listAccountMembers(accountId, page) {
      const { rows, totalCount } = await readPage(
        accountMembers(database.lists(accountId), accountId)
          .selectAll()
          .orderBy('is_owner', 'desc')
          .orderBy('user_id'),
        page,
      );
      const records = rows.map((row) => ({ userId: row.user_id, isOwner: row.is_owner === 1 }));
      return { records, totalCount };
    },

    async listMembers(accountId, workspace, page) {
      const found = await findWorkspace(database.query, accountId, workspace);
      if (found === undefined) return undefined;
      const members = membersOf(database.lists(accountId), found.id);
      const { rows, totalCount } = await readPage(
        members.selectAll().orderBy('created_at').orderBy('id'),
        page,
      );
      return { records: rows.map(memberOf), totalCount };
    },

    addMembers: (accountId, workspace, users) =>
      database.transact([], async (tx) => {
        const found = await findWorkspace(tx, accountId, workspace);
        if (found === undefined) return undefined;
        const { numInsertedOrUpdatedRows } = await tx
          .insertInto('workspace_member')
          .values(
            users.map(({ id, userId, createdAt }) => ({
              id,
              workspace_id: found.id,
              user_id: userId,
              created_at: createdAt,
            })),
          )
          .onConflict((conflict) => conflict.columns(['workspace_id', 'user_id']).doNothing())
          .executeTakeFirst();
        const userIds = users.map((user) => user.userId);
        const rows = await membersOf(tx, found.id).selectAll().where('user_id', 'in', userIds).execute();
        const members = new Map(rows.map((row) => [row.user_id, memberOf(row)]));
        return {
          added: Number(numInsertedOrUpdatedRows ?? 0n),
          members: userIds.flatMap((userId) => members.get(userId) ?? []),
        };
      }),

    removeMembers: (accountId, workspace, userIds) =>
      database.transact([], async (tx) => {
        const found = await findWorkspace(tx, accountId, workspace);
        if (found === undefined) return undefined;
        const { numDeletedRows } = await tx
          .deleteFrom('workspace_member')
          .where('workspace_id', '=', found.id)
          .where('user_id', 'in', userIds)
          .executeTakeFirst();
        return Number(numDeletedRows);
      }),
  };
}

function accountMembers(db: Kysely<Tables>, accountId: string) {
  const named = db
    .selectFrom('account')
    .where('id', '=', accountId)
    .select(['owner_user_id as user_id', sql.lit(1).as('is_owner')])
    .unionAll(
      db
        .selectFrom('workspace_member')
        .innerJoin('workspace', 'workspace.id', 'workspace_member.workspace_id')
        .where('workspace.account_id', '=', accountId)
        .select(['workspace_member.user_id as user_id', sql.lit(0).as('is_owner')]),
    )
    .unionAll(
      db
        .selectFrom('guardrail_assignment')
        .where('account_id', '=', accountId)
        .where('kind', '=', 'member')
        .select(['subject as user_id', sql.lit(0).as('is_owner')]),
    )
    .unionAll(
      db
        .selectFrom('api_key')
        .where('account_id', '=', accountId)
        .where('deleted_at', 'is', null)
        .where('client_id', 'is', null)
        .select(['creator_user_id as user_id', sql.lit(0).as('is_owner')]),
    );
  const each = db
    .selectFrom(named.as('named'))
    .groupBy('user_id')
    .select(({ fn }) => ['user_id' as const, fn.max<number>('is_owner').as('is_owner')]);
  return db.selectFrom(each.as('member'));
}

function membersOf(db: Kysely<Tables>, workspaceId: string) {
  return db.selectFrom('workspace_member').where('workspace_id', '=', workspaceId);
}

function memberOf(row: Selectable<WorkspaceMemberTable>): WorkspaceMember {
  return { id: row.id, workspaceId: row.workspace_id, userId: row.user_id, createdAt: row.created_at };
}
