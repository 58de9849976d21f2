import { type AlterTableColumnAlteringBuilder, type CreateTableBuilder, sql, type Transaction } from 'kysely';
import type { ColumnTypes } from '../engine/engine.js';
import type { Tables } from '../schema/schema.js';
import type { Migration } from './migration.js';

/**
 * Rollups of usage. Generations that are there already are added while the gateway serves (`UsageFillTable`), so that
 * the migration takes no longer with many of them.
 */
export const usage: Migration = {
  name: '0007-usage',
  async up(tx, types) {
    await extendGenerations(tx);
    await createRollups(tx, types);
    await createFill(tx);
    await createRetention(tx, types);
    for (const statement of previousVersionTrigger(types).create) await sql.raw(statement).execute(tx);
  },
};

/** Everything that a record will hold, so that the largest table changes once. */
async function extendGenerations({ schema }: Transaction<Tables>): Promise<void> {
  const texts = [
    'status',
    'reason',
    'message',
    'requested_model',
    'api',
    'lane',
    'omitted_json',
    'session_id',
    'trace_id',
    'ip',
  ];
  const add = (build: (table: ReturnType<typeof schema.alterTable>) => AlterTableColumnAlteringBuilder) =>
    build(schema.alterTable('generation')).execute();
  for (const name of texts) await add((table) => table.addColumn(name, 'text'));
  await add((table) => table.addColumn('http_status', 'integer'));
  await add((table) => table.addColumn('requests', 'integer', (column) => column.notNull().defaultTo(1)));
}

async function createRollups({ schema }: Transaction<Tables>, types: ColumnTypes): Promise<void> {
  let table: CreateTableBuilder<'usage_rollup', (typeof KEY)[number]> = schema
    .createTable('usage_rollup')
    .addColumn('account_id', 'text', (column) => column.notNull())
    .addColumn('reverse_day', 'integer', (column) => column.notNull());
  for (const name of ['model', 'provider', 'workspace_id', 'api_key_hash', 'user_id', 'api']) {
    table = table.addColumn(name, 'text', (column) => column.notNull());
  }
  for (const name of ['is_byok', 'hour']) {
    table = table.addColumn(name, 'integer', (column) => column.notNull());
  }
  for (const name of SUMS) table = table.addColumn(name, 'bigint', (column) => column.notNull());
  await table
    .addPrimaryKeyConstraint('usage_rollup_key', [...KEY])
    .modifyEnd(sql.raw(types.clusteredTable))
    .execute();
  await schema
    .createIndex('usage_rollup_api_key')
    .on('usage_rollup')
    .columns(['account_id', 'api_key_hash', 'reverse_day'])
    .execute();
}

/** One row for each account that has generations. */
async function createFill(tx: Transaction<Tables>): Promise<void> {
  await tx.schema
    .createTable('usage_fill')
    .addColumn('account_id', 'text', (column) => column.primaryKey())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('id', 'text', (column) => column.notNull())
    .execute();
  await sql`
    insert into usage_fill (account_id, created_at, id)
    select id, -1, '' from account
    where exists (select 1 from generation where generation.account_id = account.id)`.execute(tx);
}

async function createRetention({ schema }: Transaction<Tables>, types: ColumnTypes): Promise<void> {
  await schema
    .createTable('retention')
    .addColumn('dropped_table', 'text', (column) => column.primaryKey())
    .addColumn('dropped_before', 'bigint', (column) => column.notNull())
    .addColumn('holder', 'text', (column) => column.notNull())
    .addColumn('held_until', 'bigint', (column) => column.notNull())
    .execute();
  await schema
    .createTable('ledger_carried_forward')
    .addColumn('account_id', 'text', (column) => column.notNull())
    .addColumn('workspace_id', 'text', (column) => column.notNull())
    .addColumn('api_key_hash', 'text', (column) => column.notNull())
    .addColumn('user_id', 'text', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('amount_nano_usd', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('ledger_carried_forward_key', [
      'account_id',
      'workspace_id',
      'api_key_hash',
      'user_id',
      'kind',
    ])
    .modifyEnd(sql.raw(types.clusteredTable))
    .execute();
}

/**
 * Adds what processes of the previous version record to the rollups. To be dropped with the next version, which never
 * shares a database with them.
 */
export function previousVersionTrigger(types: ColumnTypes) {
  const values = {
    account_id: 'new.account_id',
    reverse_day: '-(new.created_at / 86400000)',
    model: 'new.model',
    provider: "coalesce(new.provider, '')",
    workspace_id: 'new.workspace_id',
    api_key_hash: 'new.api_key_hash',
    user_id: 'new.user_id',
    api: "'chat'",
    is_byok: 'case when new.byok_key_id is null then 0 else 1 end',
    hour: '(new.created_at / 3600000) % 24',
    requests: '1',
    refused: '0',
    failed: 'case when new.provider is null and new.cancelled = 0 then 1 else 0 end',
    tokens_prompt: 'new.tokens_prompt',
    tokens_completion: 'new.tokens_completion',
    tokens_reasoning: 'new.native_tokens_reasoning',
    tokens_cached: 'new.native_tokens_cached',
    usage_nano_usd: 'new.usage_nano_usd',
    byok_usage_nano_usd: 'coalesce(new.upstream_inference_cost_nano_usd, 0)',
    byok_fee_nano_usd: 'new.byok_fee_nano_usd',
    latency_ms_sum: 'coalesce(new.latency_ms + new.generation_time_ms, 0)',
    latency_count: 'case when new.latency_ms + new.generation_time_ms is null then 0 else 1 end',
    first_token_ms_sum: 'coalesce(new.latency_ms, 0)',
    first_token_count: 'case when new.latency_ms is null then 0 else 1 end',
  };
  const sums = SUMS.map((name) => `${name} = usage_rollup.${name} + excluded.${name}`);
  return types.rowTrigger({
    name: 'usage_of_previous_version',
    table: 'generation',
    event: 'insert',
    when: 'new.status is null',
    statements: [
      `insert into usage_rollup (${Object.keys(values).join(', ')}) values (${Object.values(values).join(', ')})
        on conflict (${KEY.join(', ')}) do update set ${sums.join(', ')}`,
      `update generation set status = case when new.cancelled = 1 then 'cancelled'
        when new.provider is null then 'failed' else 'ok' end, api = 'chat' where id = new.id`,
    ],
  });
}

const KEY = [
  'account_id',
  'reverse_day',
  'model',
  'provider',
  'workspace_id',
  'api_key_hash',
  'user_id',
  'api',
  'is_byok',
  'hour',
] as const;

/** What a rollup sums. */
export const SUMS = [
  'requests',
  'refused',
  'failed',
  'tokens_prompt',
  'tokens_completion',
  'tokens_reasoning',
  'tokens_cached',
  'usage_nano_usd',
  'byok_usage_nano_usd',
  'byok_fee_nano_usd',
  'latency_ms_sum',
  'latency_count',
  'first_token_ms_sum',
  'first_token_count',
] as const;
