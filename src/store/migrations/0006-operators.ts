import type { Migration } from './index.js';

/** Keys of those who run the gateway, which belong to no account. */
export const operators: Migration = {
  name: '0006-operators',
  async up({ schema }) {
    await schema
      .createTable('operator_key')
      .addColumn('hash', 'text', (column) => column.primaryKey())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('label', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('revoked_at', 'bigint')
      .execute();
  },
};
