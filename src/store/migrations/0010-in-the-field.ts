import { type Kysely, sql } from 'kysely';
import type { Tables } from '../schema/schema.js';
import { sealed } from './0001-first-light.js';
import type { Migration } from './migration.js';

/** What installations need once people use them for their own: providers, keys and accounts with a history. */
export const inTheField: Migration = {
  name: '0010-in-the-field',
  async up(tx, types) {
    await refusalsOfKeys(tx);
    await keysOfSeveralWorkspaces(tx);
    await stateOfAccounts(tx);
    for (const table of ['catalog_provider', 'catalog_model']) {
      await tx.schema
        .alterTable(table)
        .addColumn('origin', 'text', (column) => column.notNull().defaultTo('package'))
        .execute();
    }
    await sealed(tx.schema.createTable('provider_header'), types)
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('provider', 'text', (column) => column.notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      .execute();
    await tx.schema
      .createTable('deleted_name')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('account_id', 'text', (column) => column.notNull())
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      .execute();
  },
};

/** Why a provider refuses a BYOK key, and since when. */
async function refusalsOfKeys(tx: Kysely<Tables>): Promise<void> {
  await tx.schema.alterTable('byok_key').addColumn('refusal_reason', 'text').execute();
  await tx.schema.alterTable('byok_key').addColumn('refusal_status', 'integer').execute();
  await tx.schema.alterTable('byok_key').addColumn('refused_at', 'bigint').execute();
  await tx.schema
    .createIndex('byok_key_refused')
    .on('byok_key')
    .column('refused_at')
    .where('refused_at', 'is not', null)
    .execute();
}

/** With the index by which a workspace finds the keys of others: most keys have none. */
async function keysOfSeveralWorkspaces(tx: Kysely<Tables>): Promise<void> {
  await tx.schema.alterTable('byok_key').addColumn('workspace_ids_json', 'text').execute();
  await sql`create index byok_key_shared on byok_key (account_id) where workspace_ids_json is not null`.execute(
    tx,
  );
}

/** With what the operator notes on top-ups. */
async function stateOfAccounts(tx: Kysely<Tables>): Promise<void> {
  await tx.schema
    .alterTable('account')
    .addColumn('has_shared_capacity', 'integer', (column) => column.notNull().defaultTo(1))
    .execute();
  await tx.schema.alterTable('account').addColumn('closed_at', 'bigint').execute();
  await tx.schema
    .createTable('top_up_note')
    .addColumn('entry_id', 'text', (column) => column.primaryKey())
    .addColumn('note', 'text', (column) => column.notNull())
    .execute();
}
