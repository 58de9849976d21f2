import type { Transaction } from 'kysely';
import type { WorkspaceStore, WorkspaceTransaction } from '../../accounts/workspaces/workspace-store.js';
import type { Database } from '../database/database.js';
import { readPage } from '../query/read-page.js';
import type { Tables } from '../schema/schema.js';
import { guardrailRow } from './guardrail-rows.js';
import { isNaming, namesJson, storedNames } from './name-list.js';
import { keepName } from './record-names.js';
import { findBy, findWorkspace, workspaceOf, workspaceRow } from './workspace-rows.js';

export function createWorkspaceStore(database: Database): WorkspaceStore {
  return {
    transact: (work) => database.transact(['identity', 'policy'], (tx) => work(workspaceTransaction(tx))),

    findWorkspace: (accountId, idOrSlug) => findWorkspace(database.query, accountId, idOrSlug),

    async listWorkspaces(accountId, page) {
      const own = database.lists(accountId).selectFrom('workspace').where('account_id', '=', accountId);
      const { rows, totalCount } = await readPage(own.selectAll().orderBy('created_at').orderBy('id'), page);
      return { records: rows.map(workspaceOf), totalCount };
    },
  };
}

function workspaceTransaction(tx: Transaction<Tables>): WorkspaceTransaction {
  return {
    findWorkspace: (accountId, idOrSlug) => findWorkspace(tx, accountId, idOrSlug),
    findBySlug: (accountId, slug) => findBy(tx, accountId, 'slug', slug),

    async insertWorkspace(workspace, defaultGuardrail) {
      await tx.insertInto('workspace').values(workspaceRow(workspace)).execute();
      await tx.insertInto('guardrail').values(guardrailRow(defaultGuardrail)).execute();
    },

    async replaceWorkspace(workspace) {
      await tx.updateTable('workspace').set(workspaceRow(workspace)).where('id', '=', workspace.id).execute();
    },

    async hasKeys(workspaceId) {
      const apiKey = await tx
        .selectFrom('api_key')
        .select('hash')
        .where('workspace_id', '=', workspaceId)
        .where('deleted_at', 'is', null)
        .limit(1)
        .executeTakeFirst();
      if (apiKey !== undefined) return true;
      const byokKey = await tx
        .selectFrom('byok_key')
        .select('id')
        .where('workspace_id', '=', workspaceId)
        .limit(1)
        .executeTakeFirst();
      return byokKey !== undefined;
    },

    async hasAssignedGuardrails(workspaceId) {
      const row = await tx
        .selectFrom('guardrail_assignment')
        .innerJoin('guardrail', 'guardrail.id', 'guardrail_assignment.guardrail_id')
        .leftJoin('api_key', 'api_key.hash', 'guardrail_assignment.subject')
        .select('guardrail.id')
        .where('guardrail.workspace_id', '=', workspaceId)
        .where('api_key.deleted_at', 'is', null)
        .limit(1)
        .executeTakeFirst();
      return row !== undefined;
    },

    async deleteWorkspace({ id: workspaceId, accountId, name }) {
      await tx
        .deleteFrom('guardrail_assignment')
        .where('guardrail_id', 'in', (query) =>
          query.selectFrom('guardrail').select('id').where('workspace_id', '=', workspaceId),
        )
        .execute();
      await tx.deleteFrom('guardrail').where('workspace_id', '=', workspaceId).execute();
      await tx.deleteFrom('workspace_member').where('workspace_id', '=', workspaceId).execute();
      await tx.deleteFrom('workspace_budget').where('workspace_id', '=', workspaceId).execute();
      await leaveSharedKeys(tx, workspaceId);
      await tx.deleteFrom('workspace').where('id', '=', workspaceId).execute();
      await keepName(tx, { id: workspaceId, account_id: accountId, kind: 'workspace', name });
    },
  };
}

/** Takes the workspace out of the lists of BYOK keys. No other workspace's keys change by it. */
async function leaveSharedKeys(tx: Transaction<Tables>, workspaceId: string): Promise<void> {
  const rows = await tx
    .selectFrom('byok_key')
    .select(['id', 'workspace_ids_json'])
    .where('workspace_ids_json', 'is not', null)
    .where('account_id', '=', (query) =>
      query.selectFrom('workspace').select('workspace.account_id').where('workspace.id', '=', workspaceId),
    )
    .where(isNaming(workspaceId))
    .execute();
  for (const { id, workspace_ids_json } of rows) {
    const left = (storedNames(workspace_ids_json) ?? []).filter((one) => one !== workspaceId);
    await tx
      .updateTable('byok_key')
      .set({ workspace_ids_json: namesJson(left.length === 0 ? null : left) })
      .where('id', '=', id)
      .execute();
  }
}
