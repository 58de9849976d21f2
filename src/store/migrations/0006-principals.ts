import type { Migration } from './migration.js';

export const principals: Migration = {
  name: '0006-principals',
  async up({ schema }) {
    await schema
      .createTable('operator_key')
      .addColumn('hash', 'text', (column) => column.primaryKey())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('label', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('revoked_at', 'bigint')
      .execute();
    // Null for existing clients, and for those that the previous version still creates.
    await schema.alterTable('client').addColumn('user_id', 'text').execute();
  },
};
