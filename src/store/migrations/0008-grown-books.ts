import { type CreateTableBuilder, sql, type Transaction } from 'kysely';
import type { ColumnTypes } from '../engine/engine.js';
import type { Tables } from '../schema/schema.js';
import { SUMS } from './0007-usage.js';
import type { Migration } from './migration.js';

/**
 * Usage by day: what the rollups sum already is added while the gateway serves (`UsageDailyFillTable`). And provider keys
 * that are moved without writing their indexes.
 */
export const grownBooks: Migration = {
  name: '0008-grown-books',
  async up(tx, types) {
    await tx.schema
      .alterTable('usage_rollup')
      .addColumn('daily_flip', 'integer', (column) => column.notNull().defaultTo(0))
      .execute();
    await createDaily(tx, types);
    await createFill(tx);
    for (const { create } of previousVersionDays(types)) {
      for (const statement of create) await sql.raw(statement).execute(tx);
    }
    await makePlacesMovable(tx, types);
  },
};

/**
 * A move of a provider key writes every row that it passes. Without `sort_order` in an index, and with room for the new
 * row beside the old one, PostgreSQL leaves all indexes as they are.
 */
async function makePlacesMovable(tx: Transaction<Tables>, { leaveRoom }: ColumnTypes): Promise<void> {
  await tx.schema.dropIndex('byok_key_section').execute();
  await tx.schema
    .createIndex('byok_key_places')
    .on('byok_key')
    .columns(['workspace_id', 'provider', 'is_fallback'])
    .execute();
  for (const statement of leaveRoom('byok_key')) await sql.raw(statement).execute(tx);
}

async function createDaily({ schema }: Transaction<Tables>, types: ColumnTypes): Promise<void> {
  let table: CreateTableBuilder<'usage_daily', (typeof KEY)[number]> = schema
    .createTable('usage_daily')
    .addColumn('account_id', 'text', (column) => column.notNull())
    .addColumn('workspace_id', 'text', (column) => column.notNull())
    .addColumn('reverse_day', 'integer', (column) => column.notNull());
  for (const name of ['model', 'provider', 'api']) {
    table = table.addColumn(name, 'text', (column) => column.notNull());
  }
  table = table.addColumn('is_byok', 'integer', (column) => column.notNull());
  for (const name of SUMS) table = table.addColumn(name, 'bigint', (column) => column.notNull());
  await table
    .addPrimaryKeyConstraint('usage_daily_key', [...KEY])
    .modifyEnd(sql.raw(types.clusteredTable))
    .execute();
}

/** One row for each account that has rollups. */
async function createFill(tx: Transaction<Tables>): Promise<void> {
  await tx.schema
    .createTable('usage_daily_fill')
    .addColumn('account_id', 'text', (column) => column.primaryKey())
    .addColumn('reverse_day', 'integer', (column) => column.notNull())
    .addColumn('added', 'integer', (column) => column.notNull())
    .execute();
  await sql`
    insert into usage_daily_fill (account_id, reverse_day, added)
    select id, (select min(reverse_day) from usage_rollup where account_id = account.id), 0 from account
    where exists (select 1 from usage_rollup where account_id = account.id)`.execute(tx);
}

/**
 * Add what processes of the previous version write to the rollups: they leave `daily_flip` as it is. To be dropped with
 * the next version, which never shares a database with them.
 */
export function previousVersionDays(types: ColumnTypes) {
  const columns = [...KEY, ...SUMS].join(', ');
  const sums = SUMS.map((name) => `${name} = usage_daily.${name} + excluded.${name}`).join(', ');
  const row = (workspace: string, sum: (name: string) => string) =>
    `(new.account_id, ${workspace}, new.reverse_day, new.model, new.provider, new.api, new.is_byok, ${SUMS.map(sum).join(', ')})`;
  const trigger = (event: 'insert' | 'update', when: string, sum: (name: string) => string) =>
    types.rowTrigger({
      name: `usage_daily_of_previous_${event}`,
      table: 'usage_rollup',
      event,
      when,
      statements: [
        `insert into usage_daily (${columns}) values ${row('new.workspace_id', sum)}, ${row("''", sum)}
          on conflict (${KEY.join(', ')}) do update set ${sums}`,
      ],
    });
  return [
    trigger('insert', 'new.daily_flip = 0', (name) => `new.${name}`),
    trigger('update', 'new.daily_flip = old.daily_flip', (name) => `new.${name} - old.${name}`),
  ];
}

const KEY = ['account_id', 'workspace_id', 'reverse_day', 'model', 'provider', 'api', 'is_byok'] as const;
