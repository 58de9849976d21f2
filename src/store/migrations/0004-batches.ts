import type { Migration } from './migration.js';

export const batches: Migration = {
  name: '0004-batches',
  async up({ schema }) {
    await schema
      .createTable('batch')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('account_id', 'text', (column) => column.notNull().references('account.id'))
      .addColumn('workspace_id', 'text', (column) => column.notNull())
      .addColumn('api_key_hash', 'text', (column) => column.notNull())
      .addColumn('user_id', 'text', (column) => column.notNull())
      .addColumn('plan', 'text', (column) => column.notNull())
      .addColumn('request_id', 'text', (column) => column.notNull())
      .addColumn('provider', 'text', (column) => column.notNull())
      .addColumn('provider_name', 'text', (column) => column.notNull())
      .addColumn('byok_key_id', 'text', (column) => column.notNull())
      .addColumn('endpoint', 'text', (column) => column.notNull())
      .addColumn('model', 'text', (column) => column.notNull())
      .addColumn('upstream_model_id', 'text', (column) => column.notNull())
      .addColumn('region', 'text')
      .addColumn('pricing_json', 'text', (column) => column.notNull())
      .addColumn('total', 'integer', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('stage', 'text', (column) => column.notNull())
      .addColumn('status', 'text', (column) => column.notNull())
      .addColumn('bucket', 'text')
      .addColumn('provider_job', 'text')
      .addColumn('output_directory', 'text')
      .addColumn('completed', 'integer', (column) => column.notNull())
      .addColumn('failed', 'integer', (column) => column.notNull())
      .addColumn('error', 'text')
      .addColumn('waits', 'integer', (column) => column.notNull())
      .addColumn('poll_at', 'bigint', (column) => column.notNull())
      .addColumn('claim_token', 'text')
      .addColumn('claimed_until', 'bigint', (column) => column.notNull())
      .execute();
    await schema.createIndex('batch_list').on('batch').columns(['account_id', 'created_at', 'id']).execute();
    await schema.createIndex('batch_due').on('batch').column('poll_at').execute();
    await schema
      .createTable('batch_rows')
      .addColumn('batch_id', 'text', (column) => column.primaryKey().references('batch.id'))
      .addColumn('rows_json', 'text', (column) => column.notNull())
      .execute();
  },
};
