import type { Insertable, Kysely, Selectable } from 'kysely';
import type { Workspace } from '../../accounts/workspaces/workspace.js';
import { isUuid } from '../../base/ids.js';
import type { Tables, WorkspaceTable } from '../schema/schema.js';

/** The account's workspace with that id, else with that slug. */
export async function findWorkspace(
  db: Kysely<Tables>,
  accountId: string,
  idOrSlug: string,
): Promise<Workspace | undefined> {
  const byId = isUuid(idOrSlug) ? await findBy(db, accountId, 'id', idOrSlug) : undefined;
  return byId ?? findBy(db, accountId, 'slug', idOrSlug);
}

/** The id, if the account has such a workspace; with null the id of its default workspace. */
export async function findWorkspaceId(
  db: Kysely<Tables>,
  accountId: string,
  id: string | null,
): Promise<string | undefined> {
  return (await workspaceOrDefault(db, accountId, id).select('id').executeTakeFirst())?.id;
}

/** A query for the account's workspace with that id; with null for its default workspace. */
export function workspaceOrDefault(db: Kysely<Tables>, accountId: string, id: string | null) {
  const own = db.selectFrom('workspace').where('account_id', '=', accountId);
  return id === null ? own.where('is_default', '=', 1) : own.where('id', '=', id);
}

/** By a column that is unique within the account. */
export async function findBy(
  db: Kysely<Tables>,
  accountId: string,
  column: 'id' | 'slug',
  value: string,
): Promise<Workspace | undefined> {
  const row = await db
    .selectFrom('workspace')
    .selectAll()
    .where('account_id', '=', accountId)
    .where(column, '=', value)
    .executeTakeFirst();
  return row === undefined ? undefined : workspaceOf(row);
}

export function workspaceRow(workspace: Workspace): Insertable<WorkspaceTable> {
  return {
    id: workspace.id,
    account_id: workspace.accountId,
    name: workspace.name,
    slug: workspace.slug,
    description: workspace.description,
    is_default: workspace.isDefault ? 1 : 0,
    default_guardrail_id: workspace.defaultGuardrailId,
    include_byok_in_budgets: workspace.includeByokInBudgets ? 1 : 0,
    created_at: workspace.createdAt,
    updated_at: workspace.updatedAt,
  };
}

export function workspaceOf(row: Selectable<WorkspaceTable>): Workspace {
  return {
    id: row.id,
    accountId: row.account_id,
    name: row.name,
    slug: row.slug,
    description: row.description,
    isDefault: row.is_default === 1,
    defaultGuardrailId: row.default_guardrail_id,
    includeByokInBudgets: row.include_byok_in_budgets === 1,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
