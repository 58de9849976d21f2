import { sql, type Transaction } from 'kysely';
import type { Tables } from '../schema/schema.js';
import { sealed } from './0001-first-light.js';
import { previousVersionTrigger } from './0007-usage.js';
import { previousVersionDays } from './0008-grown-books.js';
import type { Migration } from './migration.js';

/**
 * What a record says of its counts and of its plan; the keys of accounts for their marks; the windows before the newest ones
 * in the totals; and the journal of streams.
 */
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
    await keepPreviousWindows(tx);
    await createStreamJournal(tx);
  },
};

/**
 * What was charged before the newest window of a total is not known. A start that no window has says so, and goes when
 * the next window begins.
 */
async function keepPreviousWindows(tx: Transaction<Tables>): Promise<void> {
  for (const interval of ['daily', 'weekly', 'monthly']) {
    for (const column of ['start', 'credit_nano_usd', 'byok_nano_usd']) {
      await tx.schema
        .alterTable('spend_total')
        .addColumn(`previous_${interval}_${column}`, 'bigint', (added) => added.notNull().defaultTo(0))
        .execute();
    }
  }
  await sql`update spend_total set previous_daily_start = daily_start - 1,
    previous_weekly_start = weekly_start - 1, previous_monthly_start = monthly_start - 1`.execute(tx);
}

/** Rows are few and change every second, so that an index would cost more than it gives. */
async function createStreamJournal({ schema }: Transaction<Tables>): Promise<void> {
  await schema
    .createTable('stream_journal')
    .addColumn('generation_id', 'text', (column) => column.primaryKey())
    .addColumn('account_id', 'text', (column) => column.notNull())
    .addColumn('holder', 'text', (column) => column.notNull())
    .addColumn('unsettled_json', 'text', (column) => column.notNull())
    .execute();
}
