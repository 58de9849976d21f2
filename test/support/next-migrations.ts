/** The migrations of the version after this one. */
import { MIGRATIONS as OURS } from '../../src/store/migrations/index.js';
import type { Migration } from '../../src/store/migrations/migration.js';
import { isPartition } from './partitions.js';

/** All that a migration may do: a table, an index, and columns that may be left out of an insert. */
const next: Migration = {
  name: '9999-next-version',
  async up(tx) {
    const tables = await tx.introspection.getTables();
    const own = tables.filter(({ name }) => name !== 'schema_migration' && !isPartition(name));
    for (const { name } of own) {
      await tx.schema.alterTable(name).addColumn('next_note', 'text').execute();
      await tx.schema
        .alterTable(name)
        .addColumn('next_count', 'bigint', (column) => column.notNull().defaultTo(0))
        .execute();
    }
    await tx.schema
      .createTable('next_table')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .execute();
    await tx.schema.createIndex('next_index').on('generation').columns(['model', 'created_at']).execute();
  },
};

export const MIGRATIONS: readonly Migration[] = [...OURS, next];
