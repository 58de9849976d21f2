import { sql } from 'kysely';
import type { Migration } from './index.js';

/**
 * What is left to each principal of its administrative calls. Only engines that many processes share use it, and none
 * keeps it over a crash: a bucket that is gone is full, as every one is after a minute.
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
