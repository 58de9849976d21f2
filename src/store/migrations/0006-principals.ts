import type { Migration } from './index.js';

/** Keys of those who run the gateway, which belong to no account; and the member that a client's keys belong to. */
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
    // Null for the clients of today and those that the version before still makes.
    await schema.alterTable('client').addColumn('user_id', 'text').execute();
  },
};
