import type { Transaction } from 'kysely';
import { systemIds } from '../../base/ids.js';
import type { Tables } from '../schema/schema.js';
import type { Migration } from './migration.js';

export const controlPlane: Migration = {
  name: '0002-control-plane',
  async up(tx) {
    await createGuardrails(tx);
    await extendWorkspaces(tx);
    await createPreferences(tx);
    await addDefaultGuardrails(tx);
    await tx.insertInto('revision').values({ scope: 'policy', value: 0 }).execute();
  },
};

async function createGuardrails({ schema }: Transaction<Tables>): Promise<void> {
  await schema
    .createTable('guardrail')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('account_id', 'text', (column) => column.notNull().references('account.id'))
    .addColumn('workspace_id', 'text', (column) => column.notNull().references('workspace.id'))
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('description', 'text')
    .addColumn('limit_nano_usd', 'bigint')
    .addColumn('reset_interval', 'text')
    .addColumn('allowed_models_json', 'text')
    .addColumn('ignored_models_json', 'text')
    .addColumn('allowed_providers_json', 'text')
    .addColumn('ignored_providers_json', 'text')
    .addColumn('enforce_zdr', 'integer', (column) => column.notNull())
    .addColumn('data_collection', 'text')
    .addColumn('allowed_data_regions_json', 'text')
    .addColumn('include_byok_in_budgets', 'integer', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('updated_at', 'bigint', (column) => column.notNull())
    .execute();
  await schema
    .createIndex('guardrail_list')
    .on('guardrail')
    .columns(['account_id', 'created_at', 'id'])
    .execute();
  await schema.createIndex('guardrail_workspace').on('guardrail').column('workspace_id').execute();

  // At most one guardrail on each key and each member of an account.
  await schema
    .createTable('guardrail_assignment')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('account_id', 'text', (column) => column.notNull().references('account.id'))
    .addColumn('guardrail_id', 'text', (column) => column.notNull().references('guardrail.id'))
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('subject', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addUniqueConstraint('guardrail_assignment_subject', ['account_id', 'kind', 'subject'])
    .execute();
  await schema
    .createIndex('guardrail_assignment_list')
    .on('guardrail_assignment')
    .columns(['guardrail_id', 'kind', 'created_at', 'id'])
    .execute();
}

async function extendWorkspaces({ schema }: Transaction<Tables>): Promise<void> {
  await schema
    .alterTable('workspace')
    .addColumn('default_guardrail_id', 'text', (column) => column.notNull().defaultTo(''))
    .execute();
  await schema
    .alterTable('workspace')
    .addColumn('include_byok_in_budgets', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
  await schema
    .createTable('workspace_member')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('workspace_id', 'text', (column) => column.notNull().references('workspace.id'))
    .addColumn('user_id', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addUniqueConstraint('workspace_member_user', ['workspace_id', 'user_id'])
    .execute();
  await schema
    .createIndex('workspace_member_list')
    .on('workspace_member')
    .columns(['workspace_id', 'created_at', 'id'])
    .execute();
  await schema
    .createTable('workspace_budget')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('workspace_id', 'text', (column) => column.notNull().references('workspace.id'))
    .addColumn('interval', 'text', (column) => column.notNull())
    .addColumn('limit_nano_usd', 'bigint', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('updated_at', 'bigint', (column) => column.notNull())
    .addUniqueConstraint('workspace_budget_interval', ['workspace_id', 'interval'])
    .execute();
  // The spending of a workspace is read from the index alone.
  await schema
    .createIndex('ledger_entry_workspace')
    .on('ledger_entry')
    .columns(['workspace_id', 'kind', 'created_at', 'amount_nano_usd'])
    .execute();
}

async function createPreferences({ schema }: Transaction<Tables>): Promise<void> {
  await schema
    .createTable('account_preferences')
    .addColumn('account_id', 'text', (column) => column.primaryKey().references('account.id'))
    .addColumn('allowed_providers_json', 'text')
    .addColumn('ignored_providers_json', 'text')
    .addColumn('zdr', 'integer', (column) => column.notNull())
    .addColumn('data_collection', 'text')
    .addColumn('default_sort', 'text')
    .execute();
}

/** Every workspace has a default guardrail: existing workspaces get an empty one. */
async function addDefaultGuardrails(tx: Transaction<Tables>): Promise<void> {
  const workspaces = await tx.selectFrom('workspace').select(['id', 'account_id', 'created_at']).execute();
  for (const workspace of workspaces) {
    const id = systemIds.uuid();
    await tx
      .insertInto('guardrail')
      .values({
        id,
        account_id: workspace.account_id,
        workspace_id: workspace.id,
        name: 'Workspace default',
        description: null,
        limit_nano_usd: null,
        reset_interval: null,
        allowed_models_json: null,
        ignored_models_json: null,
        allowed_providers_json: null,
        ignored_providers_json: null,
        enforce_zdr: 0,
        data_collection: null,
        allowed_data_regions_json: null,
        include_byok_in_budgets: 0,
        created_at: workspace.created_at,
        updated_at: workspace.created_at,
      })
      .execute();
    await tx
      .updateTable('workspace')
      .set({ default_guardrail_id: id })
      .where('id', '=', workspace.id)
      .execute();
  }
}
