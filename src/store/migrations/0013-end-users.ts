import { type CreateTableBuilder, sql, type Transaction } from 'kysely';
import type { ColumnTypes } from '../engine/engine.js';
import type { Tables } from '../schema/schema.js';
import { SUMS } from './0007-usage.js';
import type { Migration } from './migration.js';

/** Whom requests were made for, within which run and by which agent; and what API keys say of their end users. */
export const endUsers: Migration = {
  name: '0013-end-users',
  async up(tx, types) {
    await rulesOfKeys(tx);
    await namesOfRecords(tx);
    await createEndUsers(tx, types);
    await createUsage(tx, types);
  },
};

async function rulesOfKeys({ schema }: Transaction<Tables>): Promise<void> {
  await schema.alterTable('api_key').addColumn('end_user_limit_nano_usd', 'bigint').execute();
  await schema.alterTable('api_key').addColumn('end_user_limit_reset', 'text').execute();
  await schema
    .alterTable('api_key')
    .addColumn('end_user_required', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
}

const NAMES = ['run_id', 'run', 'end_user', 'agent_id', 'parent_agent_id'];

/** Indexes of what has a name alone, so that other records cost nothing. */
const INDEXED = ['run_id', 'run', 'end_user', 'agent_id'];

async function namesOfRecords(tx: Transaction<Tables>): Promise<void> {
  for (const name of NAMES) await tx.schema.alterTable('generation').addColumn(name, 'text').execute();
  for (const name of INDEXED) {
    await sql`create index ${sql.ref(`generation_${name}`)} on generation
      (account_id, ${sql.ref(name)}, created_at) where ${sql.ref(name)} is not null`.execute(tx);
  }
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

const KEY = [
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
] as const;

const NUMBERS: readonly string[] = ['reverse_day', 'is_byok', 'hour'];

async function createUsage({ schema }: Transaction<Tables>, types: ColumnTypes): Promise<void> {
  let table: CreateTableBuilder<'usage_attribution', (typeof KEY)[number]> =
    schema.createTable('usage_attribution');
  for (const name of KEY) {
    const type = NUMBERS.includes(name) ? 'integer' : 'text';
    table = table.addColumn(name, type, (column) => column.notNull());
  }
  for (const name of SUMS) table = table.addColumn(name, 'bigint', (column) => column.notNull());
  await table
    .addPrimaryKeyConstraint('usage_attribution_key', [...KEY])
    .modifyEnd(sql.raw(types.clusteredTable))
    .execute();
}
