import { sealed } from './0001-first-light.js';
import type { Migration } from './migration.js';

/** Whose entries of the catalogue are, and the sealed values of the headers of providers. */
export const ownProviders: Migration = {
  name: '0013-own-providers',
  async up(tx, types) {
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
  },
};
