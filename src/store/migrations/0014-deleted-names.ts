import type { Migration } from './migration.js';

/** The names of workspaces and BYOK keys whose rows are gone, for reports. */
export const deletedNames: Migration = {
  name: '0014-deleted-names',
  async up(tx) {
    await tx.schema
      .createTable('deleted_name')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('account_id', 'text', (column) => column.notNull())
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      .execute();
  },
};
