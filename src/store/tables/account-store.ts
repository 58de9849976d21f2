import type { Insertable, Kysely, Selectable, Transaction } from 'kysely';
import type { Account, AccountStore } from '../../accounts/account/account.js';
import type { Database } from '../database/database.js';
import type { AccountTable, Tables } from '../schema/schema.js';
import { guardrailRow } from './guardrail-rows.js';
import { apiKeyRow } from './key-store.js';
import { managementKeyRow } from './management-key-store.js';
import { operatorKeyRow } from './operator-key-store.js';
import { workspaceOf, workspaceOrDefault, workspaceRow } from './workspace-rows.js';

export function createAccountStore(database: Database): AccountStore {
  return {
    addAccount: (...records) =>
      database.transact(['identity', 'policy'], (tx) => insertAccount(tx, ...records)),

    addFirstAccount: (records, apiKey, operatorKey) =>
      database.transact(['identity', 'policy'], async (tx) => {
        if (await hasAccounts(tx)) return false;
        await insertAccount(tx, ...records);
        await tx.insertInto('api_key').values(apiKeyRow(apiKey)).execute();
        await tx.insertInto('operator_key').values(operatorKeyRow(operatorKey)).execute();
        return true;
      }),

    hasAccounts: () => hasAccounts(database.query),

    async listAccounts() {
      const rows = await database.query
        .selectFrom('account')
        .selectAll()
        .orderBy('created_at')
        .orderBy('id')
        .execute();
      return rows.map(accountOf);
    },

    changeAccount: (id, { name, plan, hasSharedCapacity, closedAt }) =>
      database.transact(['identity', 'policy'], async (tx) => {
        const row = await tx
          .updateTable('account')
          .set({
            // What is undefined is left as it is.
            ...{ name, plan, closed_at: closedAt },
            has_shared_capacity: hasSharedCapacity === undefined ? undefined : hasSharedCapacity ? 1 : 0,
            id,
          })
          .where('id', '=', id)
          .returningAll()
          .executeTakeFirst();
        return row === undefined ? undefined : accountOf(row);
      }),

    async findAccount(id) {
      const row = await database.query
        .selectFrom('account')
        .selectAll()
        .where('id', '=', id)
        .executeTakeFirst();
      return row === undefined ? undefined : accountOf(row);
    },

    async findWorkspace(accountId, id) {
      const row = await workspaceOrDefault(database.query, accountId, id).selectAll().executeTakeFirst();
      return row === undefined ? undefined : workspaceOf(row);
    },
  };
}

async function insertAccount(
  tx: Transaction<Tables>,
  ...[account, workspace, guardrail, managementKey]: Parameters<AccountStore['addAccount']>
): Promise<void> {
  await tx.insertInto('account').values(accountRow(account)).execute();
  await tx.insertInto('workspace').values(workspaceRow(workspace)).execute();
  await tx.insertInto('guardrail').values(guardrailRow(guardrail)).execute();
  await tx.insertInto('management_key').values(managementKeyRow(managementKey)).execute();
}

async function hasAccounts(db: Kysely<Tables>): Promise<boolean> {
  return (await db.selectFrom('account').select('id').limit(1).executeTakeFirst()) !== undefined;
}

function accountRow(account: Account): Insertable<AccountTable> {
  return {
    id: account.id,
    name: account.name,
    plan: account.plan,
    owner_user_id: account.ownerUserId,
    created_at: account.createdAt,
    has_shared_capacity: account.hasSharedCapacity ? 1 : 0,
    closed_at: account.closedAt,
  };
}

function accountOf(row: Selectable<AccountTable>): Account {
  return {
    id: row.id,
    name: row.name,
    plan: row.plan,
    ownerUserId: row.owner_user_id,
    hasSharedCapacity: row.has_shared_capacity === 1,
    createdAt: row.created_at,
    closedAt: row.closed_at,
  };
}
