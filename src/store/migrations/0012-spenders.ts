import { sql, type Transaction } from 'kysely';
import type { ColumnTypes } from '../engine/engine.js';
import type { Tables } from '../schema/schema.js';
import type { Migration } from './migration.js';

/** Charges and reservations of runs and end users, and the runs themselves. */
export const spenders: Migration = {
  name: '0012-spenders',
  async up(tx, types) {
    for (const table of ['reservation', 'ledger_entry']) {
      for (const name of ['run_id', 'end_user']) {
        await tx.schema.alterTable(table).addColumn(name, 'text').execute();
      }
    }
    await createCarriedForward(tx, types);
    await createRuns(tx);
  },
};

/** Beside `ledger_carried_forward`, whose rows processes of the previous version add to by their key. */
async function createCarriedForward({ schema }: Transaction<Tables>, types: ColumnTypes): Promise<void> {
  await schema
    .createTable('spender_carried_forward')
    .addColumn('account_id', 'text', (column) => column.notNull())
    .addColumn('subject', 'text', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('amount_nano_usd', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('spender_carried_forward_key', ['account_id', 'subject', 'kind'])
    .modifyEnd(sql.raw(types.clusteredTable))
    .execute();
}

async function createRuns({ schema }: Transaction<Tables>): Promise<void> {
  let table = schema
    .createTable('run')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('api_key_hash', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull());
  for (const name of ['account_id', 'workspace_id']) {
    table = table.addColumn(name, 'text', (column) => column.notNull());
  }
  table = table.addColumn('limit_nano_usd', 'bigint');
  for (const name of ['requests', 'first_at', 'last_at']) {
    table = table.addColumn(name, 'bigint', (column) => column.notNull());
  }
  await table.addUniqueConstraint('run_name', ['api_key_hash', 'name']).execute();
  await schema.createIndex('run_of_account').on('run').columns(['account_id', 'last_at']).execute();
  await schema.createIndex('run_of_key').on('run').columns(['api_key_hash', 'last_at']).execute();
  await schema.createIndex('run_last').on('run').column('last_at').execute();
}
