import { type CreateTableBuilder, sql, type Transaction } from 'kysely';
import type { ColumnTypes } from '../engine/engine.js';
import type { Tables } from '../schema/schema.js';
import { SUMS } from './0007-usage.js';
import type { Migration } from './migration.js';

/** Runs and end users, what they are charged, and receipts. */
export const attribution: Migration = {
  name: '0012-attribution',
  async up(tx, types) {
    for (const table of ['reservation', 'ledger_entry']) {
      for (const name of ['run_id', 'end_user']) {
        await tx.schema.alterTable(table).addColumn(name, 'text').execute();
      }
    }
    await createCarriedForward(tx, types);
    await createRuns(tx);
    await rulesOfKeys(tx);
    await namesOfRecords(tx);
    await createEndUsers(tx, types);
    await createUsage(tx, types);
    await receipts(tx);
  },
};

/** Beside `ledger_carried_forward`, whose rows processes of the previous version add to by their key. */
async function createCarriedForward({ schema }: Transaction<Tables>, types: ColumnTypes): Promise<void> {
  await schema
    .createTable('attribution_carried_forward')
    .addColumn('account_id', 'text', (column) => column.notNull())
    .addColumn('subject', 'text', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('amount_nano_usd', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('attribution_carried_forward_key', ['account_id', 'subject', 'kind'])
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

/** What API keys say of their end users. */
async function rulesOfKeys({ schema }: Transaction<Tables>): Promise<void> {
  await schema.alterTable('api_key').addColumn('end_user_limit_nano_usd', 'bigint').execute();
  await schema.alterTable('api_key').addColumn('end_user_limit_reset', 'text').execute();
  await schema
    .alterTable('api_key')
    .addColumn('end_user_required', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
}

const NAMES = ['run_id', 'run', 'end_user', 'agent_id', 'parent_agent_id'];

async function namesOfRecords({ schema }: Transaction<Tables>): Promise<void> {
  for (const name of NAMES) await schema.alterTable('generation').addColumn(name, 'text').execute();
}

async function createEndUsers({ schema }: Transaction<Tables>, types: ColumnTypes): Promise<void> {
  await schema
    .createTable('end_user')
    .addColumn('api_key_hash', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('requests', 'bigint', (column) => column.notNull())
    .addColumn('last_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('end_user_key', ['api_key_hash', 'name'])
    .modifyEnd(sql.raw(types.clusteredTable))
    .execute();
  await schema.createIndex('end_user_last').on('end_user').columns(['api_key_hash', 'last_at']).execute();
}

const USAGE_NAMES = [
  'account_id',
  'reverse_day',
  'run_id',
  'run',
  'agent_id',
  'end_user',
  'model',
  'provider',
  'workspace_id',
  'api_key_hash',
  'user_id',
  'api',
  'is_byok',
  'hour',
  'names_hash',
] as const;

const NUMBERS: readonly string[] = ['reverse_day', 'is_byok', 'hour'];

async function createUsage({ schema }: Transaction<Tables>, types: ColumnTypes): Promise<void> {
  let table: CreateTableBuilder<'usage_attribution', (typeof USAGE_NAMES)[number]> =
    schema.createTable('usage_attribution');
  for (const name of USAGE_NAMES) {
    const type = NUMBERS.includes(name) ? 'integer' : 'text';
    table = table.addColumn(name, type, (column) => column.notNull());
  }
  for (const name of SUMS) table = table.addColumn(name, 'bigint', (column) => column.notNull());
  await table
    .addPrimaryKeyConstraint('usage_attribution_key', ['account_id', 'reverse_day', 'names_hash'])
    .modifyEnd(sql.raw(types.clusteredTable))
    .execute();
}

/** What requests were charged at, each set once, and what of it their records keep. */
async function receipts({ schema }: Transaction<Tables>): Promise<void> {
  await schema
    .createTable('billing_terms')
    .addColumn('id', 'bigint', (column) => column.primaryKey())
    .addColumn('content_json', 'text', (column) => column.notNull())
    .addColumn('used_on', 'integer', (column) => column.notNull())
    .execute();
  await schema.alterTable('generation').addColumn('terms_id', 'bigint').execute();
  await schema.alterTable('generation').addColumn('counts_json', 'text').execute();
  await schema.alterTable('generation').addColumn('allowance_left_nano_usd', 'bigint').execute();
}
