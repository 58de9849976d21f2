import { sql } from 'kysely';
import type { Migration } from './migration.js';

/**
 * Token buckets of administrative calls. Only PostgreSQL uses the table. It may be lost in a crash: a missing bucket is
 * full, as every bucket is after a minute.
 */
export const rateBuckets: Migration = {
  name: '0005-rate-buckets',
  async up({ schema }, { volatileTable }) {
    await schema
      .createTable('rate_bucket')
      .modifyFront(sql.raw(volatileTable))
      .addColumn('principal', 'text', (column) => column.primaryKey())
      .addColumn('parts', 'bigint', (column) => column.notNull())
      .addColumn('is_allowed', 'integer', (column) => column.notNull())
      .addColumn('refilled_at', 'bigint', (column) => column.notNull())
      .execute();
  },
};
