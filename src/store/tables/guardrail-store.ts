import type { Kysely } from 'kysely';
import type { Guardrail, GuardrailQuery, GuardrailStore } from '../../accounts/guardrails/guardrail.js';
import type { Listed } from '../../accounts/page.js';
import type { Database } from '../database/database.js';
import { readPage } from '../query/read-page.js';
import type { Tables } from '../schema/schema.js';
import { guardrailOf, guardrailRow } from './guardrail-rows.js';
import { hadWorkspace } from './record-names.js';
import { findWorkspaceId } from './workspace-rows.js';

export function createGuardrailStore(database: Database): GuardrailStore {
  return {
    createGuardrail: (accountId, workspaceId, make) =>
      database.transact(['policy'], async (tx) => {
        const guardrail = make(await findWorkspaceId(tx, accountId, workspaceId));
        await tx.insertInto('guardrail').values(guardrailRow(guardrail)).execute();
        return guardrail;
      }),

    findGuardrail: (accountId, id) => selectGuardrail(database.query, accountId, id),

    async ownsWorkspace(accountId, workspaceId) {
      return (await findWorkspaceId(database.query, accountId, workspaceId)) !== undefined;
    },

    hadWorkspace: (accountId, workspaceId) => hadWorkspace(database.query, accountId, workspaceId),

    listGuardrails: (accountId, query) => selectPage(database.lists(accountId), accountId, query),

    updateGuardrail: (accountId, id, change) =>
      database.transact(['policy'], async (tx) => {
        const current = await selectGuardrail(tx, accountId, id);
        if (current === undefined) return undefined;
        const next = change(current);
        if (next === current) return current;
        await tx.updateTable('guardrail').set(guardrailRow(next)).where('id', '=', id).execute();
        return next;
      }),

    deleteGuardrail: (accountId, id) =>
      database.transact(['policy'], async (tx) => {
        if ((await selectGuardrail(tx, accountId, id)) === undefined) return 'absent';
        if (await isDefault(tx, id)) return 'default';
        await tx.deleteFrom('guardrail_assignment').where('guardrail_id', '=', id).execute();
        await tx.deleteFrom('guardrail').where('id', '=', id).execute();
        return 'deleted';
      }),
  };
}

async function selectGuardrail(
  db: Kysely<Tables>,
  accountId: string,
  id: string,
): Promise<Guardrail | undefined> {
  const row = await db
    .selectFrom('guardrail')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row === undefined ? undefined : guardrailOf(row);
}

async function selectPage(
  db: Kysely<Tables>,
  accountId: string,
  { workspaceId, ...page }: GuardrailQuery,
): Promise<Listed<Guardrail>> {
  const matching = db
    .selectFrom('guardrail')
    .where('account_id', '=', accountId)
    .$if(workspaceId !== null, (query) => query.where('workspace_id', '=', workspaceId));
  const { rows, totalCount } = await readPage(matching.selectAll().orderBy('created_at').orderBy('id'), page);
  return { records: rows.map(guardrailOf), totalCount };
}

async function isDefault(db: Kysely<Tables>, id: string): Promise<boolean> {
  const row = await db
    .selectFrom('workspace')
    .innerJoin('guardrail', 'guardrail.workspace_id', 'workspace.id')
    .select('workspace.id')
    .where('guardrail.id', '=', id)
    .whereRef('workspace.default_guardrail_id', '=', 'guardrail.id')
    .executeTakeFirst();
  return row !== undefined;
}
