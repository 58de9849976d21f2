import type { Migration } from './migration.js';

/** Whether accounts have shared capacity and are open, and what the operator notes on top-ups. */
export const accountState: Migration = {
  name: '0015-account-state',
  async up(tx) {
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
  },
};
