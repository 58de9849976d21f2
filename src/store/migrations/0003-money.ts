import type { Transaction } from 'kysely';
import { totalRow } from '../ledger/ledger-rows.js';
import { ledgerWithoutAttribution, rebuildTotals } from '../ledger/totals.js';
import type { Tables } from '../schema/schema.js';
import type { Migration } from './migration.js';

export const money: Migration = {
  name: '0003-money',
  async up(tx) {
    await createTotals(tx);
    await createReservations(tx);
    // Sums are no longer read from the ledger, so it needs no covering indexes.
    await tx.schema.dropIndex('ledger_entry_api_key').execute();
    await tx.schema.dropIndex('ledger_entry_workspace').execute();
    await rebuildTotals(tx, ledgerWithoutAttribution, (balance) => totalRow(balance.subject, balance));
  },
};

async function createTotals({ schema }: Transaction<Tables>): Promise<void> {
  const amounts = ['top_up', 'credit', 'byok', 'reserved_credit', 'reserved_byok', 'reserved_sum'];
  let table = schema.createTable('spend_total').addColumn('subject', 'text', (column) => column.primaryKey());
  for (const amount of amounts) {
    table = table.addColumn(`${amount}_nano_usd`, 'bigint', (column) => column.notNull());
  }
  for (const interval of ['daily', 'weekly', 'monthly']) {
    table = table
      .addColumn(`${interval}_start`, 'bigint', (column) => column.notNull())
      .addColumn(`${interval}_credit_nano_usd`, 'bigint', (column) => column.notNull())
      .addColumn(`${interval}_byok_nano_usd`, 'bigint', (column) => column.notNull());
  }
  await table.execute();
}

async function createReservations({ schema }: Transaction<Tables>): Promise<void> {
  await schema
    .createTable('reservation')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('account_id', 'text', (column) => column.notNull())
    .addColumn('workspace_id', 'text', (column) => column.notNull())
    .addColumn('api_key_hash', 'text', (column) => column.notNull())
    .addColumn('user_id', 'text', (column) => column.notNull())
    .addColumn('credit_nano_usd', 'bigint', (column) => column.notNull())
    .addColumn('byok_nano_usd', 'bigint', (column) => column.notNull())
    .addColumn('sum_nano_usd', 'bigint', (column) => column.notNull())
    .addColumn('holder', 'text', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .execute();
}
