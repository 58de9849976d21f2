import type { Migration } from './migration.js';

/** What requests were charged at, each set once, and what of it their records keep. */
export const receipts: Migration = {
  name: '0014-receipts',
  async up(tx) {
    await tx.schema
      .createTable('billing_terms')
      .addColumn('id', 'bigint', (column) => column.primaryKey())
      .addColumn('content_json', 'text', (column) => column.notNull())
      .addColumn('used_on', 'integer', (column) => column.notNull())
      .execute();
    await tx.schema.alterTable('generation').addColumn('terms_id', 'bigint').execute();
    await tx.schema.alterTable('generation').addColumn('counts_json', 'text').execute();
    await tx.schema.alterTable('generation').addColumn('allowance_left_nano_usd', 'bigint').execute();
  },
};
