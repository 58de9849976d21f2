import { sql } from 'kysely';
import { sealed } from './0001-first-light.js';
import { previousVersionTrigger } from './0007-usage.js';
import { previousVersionDays } from './0008-grown-books.js';
import type { Migration } from './migration.js';

/** What a record says of its counts and of its plan; the keys of accounts for their marks. */
export const walls: Migration = {
  name: '0009-walls',
  async up(tx, types) {
    for (const name of ['counted_by', 'excluded_counts_json']) {
      await tx.schema.alterTable('generation').addColumn(name, 'text').execute();
    }
    await sealed(tx.schema.createTable('mark_key'), types)
      .addColumn('account_id', 'text', (column) => column.primaryKey().references('account.id'))
      .execute();
    // The versions that they were for never share a database with this one.
    for (const { drop } of [previousVersionTrigger(types), ...previousVersionDays(types)]) {
      await sql.raw(drop).execute(tx);
    }
  },
};
