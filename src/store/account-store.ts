import type { Selectable } from 'kysely';
import type { Account, AccountStore, Workspace } from '../accounts/account.js';
import type { Database } from './database.js';
import { managementKeyRow } from './management-key-store.js';
import type { AccountTable, WorkspaceTable } from './schema.js';

/** Accounts and workspaces in the database. */
export function accountStore(database: Database): AccountStore {
  return {
    addAccount: (account, workspace, managementKey) =>
      database.transact(['identity'], async (tx) => {
        await tx.insertInto('account').values(accountRow(account)).execute();
        await tx.insertInto('workspace').values(workspaceRow(workspace)).execute();
        await tx.insertInto('management_key').values(managementKeyRow(managementKey)).execute();
      }),

    async hasAccounts() {
      const row = await database.query.selectFrom('account').select('id').limit(1).executeTakeFirst();
      return row !== undefined;
    },

    async findAccount(id) {
      const row = await database.query
        .selectFrom('account')
        .selectAll()
        .where('id', '=', id)
        .executeTakeFirst();
      return row === undefined ? undefined : accountOf(row);
    },

    async findWorkspace(accountId, id) {
      const own = database.query.selectFrom('workspace').selectAll().where('account_id', '=', accountId);
      const wanted = id === null ? own.where('is_default', '=', 1) : own.where('id', '=', id);
      const row = await wanted.executeTakeFirst();
      return row === undefined ? undefined : workspaceOf(row);
    },
  };
}

function accountRow(account: Account): AccountTable {
  return {
    id: account.id,
    name: account.name,
    plan: account.plan,
    owner_user_id: account.ownerUserId,
    created_at: account.createdAt,
  };
}

function accountOf(row: Selectable<AccountTable>): Account {
  return {
    id: row.id,
    name: row.name,
    plan: row.plan,
    ownerUserId: row.owner_user_id,
    createdAt: row.created_at,
  };
}

function workspaceRow(workspace: Workspace): WorkspaceTable {
  return {
    id: workspace.id,
    account_id: workspace.accountId,
    name: workspace.name,
    slug: workspace.slug,
    description: workspace.description,
    is_default: workspace.isDefault ? 1 : 0,
    created_at: workspace.createdAt,
    updated_at: workspace.updatedAt,
  };
}

function workspaceOf(row: Selectable<WorkspaceTable>): Workspace {
  return {
    id: row.id,
    accountId: row.account_id,
    name: row.name,
    slug: row.slug,
    description: row.description,
    isDefault: row.is_default === 1,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
