import { sql, type Transaction } from 'kysely';
import type { ColumnTypes } from '../engine/engine.js';
import type { Tables } from '../schema/schema.js';
import type { Migration } from './migration.js';

/** Charges and reservations of runs and end users. */
export const spenders: Migration = {
  name: '0012-spenders',
  async up(tx, types) {
    for (const table of ['reservation', 'ledger_entry']) {
      for (const name of ['run_id', 'end_user']) {
        await tx.schema.alterTable(table).addColumn(name, 'text').execute();
      }
    }
    await createCarriedForward(tx, types);
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
