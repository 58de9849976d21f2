import type { CreateTableBuilder, Transaction } from 'kysely';
import type { ColumnTypes } from '../engine/engine.js';
import type { Tables } from '../schema/schema.js';
import type { Migration } from './migration.js';

export const firstLight: Migration = {
  name: '0001-first-light',
  async up(tx, types) {
    await createIdentities(tx);
    await createCredentials(tx, types);
    await createCatalog(tx);
    await createHistory(tx);
    await createRevisions(tx);
  },
};

async function createIdentities({ schema }: Transaction<Tables>): Promise<void> {
  await schema
    .createTable('account')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('plan', 'text', (column) => column.notNull())
    .addColumn('owner_user_id', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute();

  await schema
    .createTable('workspace')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('account_id', 'text', (column) => column.notNull().references('account.id'))
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('slug', 'text', (column) => column.notNull())
    .addColumn('description', 'text')
    .addColumn('is_default', 'integer', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('updated_at', 'bigint', (column) => column.notNull())
    .addUniqueConstraint('workspace_slug', ['account_id', 'slug'])
    .execute();

  await schema
    .createTable('client')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('account_id', 'text', (column) => column.notNull().references('account.id'))
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('secret_hash', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('deleted_at', 'bigint')
    .addUniqueConstraint('client_secret', ['secret_hash'])
    .execute();
  await schema.createIndex('client_list').on('client').columns(['account_id', 'created_at', 'id']).execute();

  await schema
    .createTable('management_key')
    .addColumn('hash', 'text', (column) => column.primaryKey())
    .addColumn('account_id', 'text', (column) => column.notNull().references('account.id'))
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('label', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('revoked_at', 'bigint')
    .execute();
  await schema
    .createIndex('management_key_list')
    .on('management_key')
    .columns(['account_id', 'created_at', 'hash'])
    .execute();

  // No reference to the workspace, since the row of a deleted key outlives it.
  await schema
    .createTable('api_key')
    .addColumn('hash', 'text', (column) => column.primaryKey())
    .addColumn('account_id', 'text', (column) => column.notNull().references('account.id'))
    .addColumn('workspace_id', 'text', (column) => column.notNull())
    .addColumn('client_id', 'text', (column) => column.references('client.id'))
    .addColumn('creator_user_id', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('label', 'text', (column) => column.notNull())
    .addColumn('disabled', 'integer', (column) => column.notNull())
    .addColumn('limit_nano_usd', 'bigint')
    .addColumn('limit_reset', 'text')
    .addColumn('include_byok_in_limit', 'integer', (column) => column.notNull())
    .addColumn('expires_at', 'bigint')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('updated_at', 'bigint', (column) => column.notNull())
    .addColumn('deleted_at', 'bigint')
    .execute();
  await schema
    .createIndex('api_key_list')
    .on('api_key')
    .columns(['account_id', 'created_at', 'hash'])
    .execute();
  await schema
    .createIndex('api_key_workspace')
    .on('api_key')
    .columns(['workspace_id', 'created_at'])
    .execute();
  await schema
    .createIndex('api_key_client')
    .on('api_key')
    .columns(['client_id', 'created_at', 'hash'])
    .execute();
}

async function createCredentials({ schema }: Transaction<Tables>, types: ColumnTypes): Promise<void> {
  await sealed(schema.createTable('byok_key'), types)
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('account_id', 'text', (column) => column.notNull().references('account.id'))
    .addColumn('workspace_id', 'text', (column) => column.notNull().references('workspace.id'))
    .addColumn('provider', 'text', (column) => column.notNull())
    .addColumn('label', 'text', (column) => column.notNull())
    .addColumn('name', 'text')
    .addColumn('disabled', 'integer', (column) => column.notNull())
    .addColumn('is_fallback', 'integer', (column) => column.notNull())
    .addColumn('is_required', 'integer', (column) => column.notNull())
    .addColumn('is_byok_only', 'integer', (column) => column.notNull())
    .addColumn('declared_zdr', 'integer')
    .addColumn('allowed_models_json', 'text')
    .addColumn('allowed_api_key_hashes_json', 'text')
    .addColumn('allowed_user_ids_json', 'text')
    .addColumn('sort_order', 'integer', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('updated_at', 'bigint', (column) => column.notNull())
    .execute();
  await schema
    .createIndex('byok_key_list')
    .on('byok_key')
    .columns(['account_id', 'created_at', 'id'])
    .execute();
  await schema
    .createIndex('byok_key_section')
    .on('byok_key')
    .columns(['workspace_id', 'provider', 'is_fallback', 'sort_order'])
    .execute();
  await schema.createIndex('byok_key_master_key').on('byok_key').column('master_key_id').execute();

  await sealed(schema.createTable('shared_credential'), types)
    .addColumn('provider', 'text', (column) => column.primaryKey())
    .addColumn('label', 'text', (column) => column.notNull())
    .addColumn('updated_at', 'bigint', (column) => column.notNull())
    .execute();
}

/** A table with the columns of what the vault has sealed. */
export function sealed<T extends string>(table: CreateTableBuilder<T, never>, types: ColumnTypes) {
  return table
    .addColumn('ciphertext', types.bytes, (column) => column.notNull())
    .addColumn('wrapped_data_key', types.bytes, (column) => column.notNull())
    .addColumn('master_key_id', 'text', (column) => column.notNull());
}

async function createCatalog({ schema }: Transaction<Tables>): Promise<void> {
  await schema
    .createTable('catalog_provider')
    .addColumn('slug', 'text', (column) => column.primaryKey())
    .addColumn('document_json', 'text', (column) => column.notNull())
    .addColumn('retired_at', 'bigint')
    .execute();
  await schema
    .createTable('catalog_model')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('document_json', 'text', (column) => column.notNull())
    .addColumn('retired_at', 'bigint')
    .execute();
}

/** No references: history outlives what it names, and is written on every request. */
async function createHistory({ schema }: Transaction<Tables>): Promise<void> {
  await schema
    .createTable('generation')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('account_id', 'text', (column) => column.notNull())
    .addColumn('workspace_id', 'text', (column) => column.notNull())
    .addColumn('api_key_hash', 'text', (column) => column.notNull())
    .addColumn('user_id', 'text', (column) => column.notNull())
    .addColumn('request_id', 'text', (column) => column.notNull())
    .addColumn('model', 'text', (column) => column.notNull())
    .addColumn('provider', 'text')
    .addColumn('endpoint', 'text')
    .addColumn('byok_key_id', 'text')
    .addColumn('streamed', 'integer', (column) => column.notNull())
    .addColumn('cancelled', 'integer', (column) => column.notNull())
    .addColumn('finish_reason', 'text')
    .addColumn('native_finish_reason', 'text')
    .addColumn('latency_ms', 'integer')
    .addColumn('generation_time_ms', 'integer')
    .addColumn('tokens_prompt', 'bigint', (column) => column.notNull())
    .addColumn('tokens_completion', 'bigint', (column) => column.notNull())
    .addColumn('native_tokens_reasoning', 'bigint', (column) => column.notNull())
    .addColumn('native_tokens_cached', 'bigint', (column) => column.notNull())
    .addColumn('usage_nano_usd', 'bigint', (column) => column.notNull())
    .addColumn('upstream_inference_cost_nano_usd', 'bigint')
    .addColumn('byok_fee_nano_usd', 'bigint', (column) => column.notNull())
    .addColumn('provider_responses_json', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute();
  await schema
    .createIndex('generation_list')
    .on('generation')
    .columns(['account_id', 'created_at', 'id'])
    .execute();
  await schema
    .createIndex('generation_api_key')
    .on('generation')
    .columns(['api_key_hash', 'created_at', 'id'])
    .execute();

  // A generation is charged once per kind, also after retries.
  await schema
    .createTable('ledger_entry')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('account_id', 'text', (column) => column.notNull())
    .addColumn('workspace_id', 'text', (column) => column.notNull())
    .addColumn('api_key_hash', 'text')
    .addColumn('user_id', 'text')
    .addColumn('byok_key_id', 'text')
    .addColumn('generation_id', 'text')
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('amount_nano_usd', 'bigint', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addUniqueConstraint('ledger_entry_generation', ['generation_id', 'kind'])
    .execute();
  // Sums are read from the indexes alone.
  await schema
    .createIndex('ledger_entry_api_key')
    .on('ledger_entry')
    .columns(['api_key_hash', 'kind', 'created_at', 'amount_nano_usd'])
    .execute();
  await schema
    .createIndex('ledger_entry_account')
    .on('ledger_entry')
    .columns(['account_id', 'kind', 'created_at', 'amount_nano_usd'])
    .execute();
}

async function createRevisions(tx: Transaction<Tables>): Promise<void> {
  await tx.schema
    .createTable('revision')
    .addColumn('scope', 'text', (column) => column.primaryKey())
    .addColumn('value', 'bigint', (column) => column.notNull())
    .execute();
  const scopes = ['identity', 'byok', 'catalog'] as const;
  await tx
    .insertInto('revision')
    .values(scopes.map((scope) => ({ scope, value: 0 })))
    .execute();
}
