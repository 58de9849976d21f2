/** Reads and writes whole tables of any engine, one page at a time. */
import { createHash } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import { isMoney } from '../engine/columns.js';
import type { Tables } from '../schema/schema.js';
import { USAGE_ATTRIBUTION_KEY } from '../usage/usage-attribution.js';
import { USAGE_DAILY_KEY } from '../usage/usage-daily.js';
import { USAGE_KEY } from '../usage/usage-rollup.js';

/** The primary key of every table. Each table comes after those that it references. */
const TABLE_KEYS: { readonly [Table in keyof Tables]: readonly (keyof Tables[Table] & string)[] } = {
  account: ['id'],
  workspace: ['id'],
  client: ['id'],
  api_key: ['hash'],
  management_key: ['hash'],
  operator_key: ['hash'],
  guardrail: ['id'],
  guardrail_assignment: ['id'],
  workspace_member: ['id'],
  workspace_budget: ['id'],
  account_preferences: ['account_id'],
  deleted_name: ['id'],
  byok_key: ['id'],
  shared_credential: ['provider'],
  mark_key: ['account_id'],
  cached_answer: ['key'],
  cached_answers_size: ['id'],
  catalog_provider: ['slug'],
  catalog_model: ['id'],
  provider_header: ['id'],
  billing_terms: ['id'],
  generation: ['id'],
  usage_rollup: USAGE_KEY,
  usage_fill: ['account_id'],
  usage_daily: USAGE_DAILY_KEY,
  usage_daily_fill: ['account_id'],
  usage_attribution: USAGE_ATTRIBUTION_KEY,
  end_user: ['api_key_hash', 'name'],
  ledger_entry: ['id'],
  ledger_carried_forward: ['account_id', 'workspace_id', 'api_key_hash', 'user_id', 'kind'],
  attribution_carried_forward: ['account_id', 'subject', 'kind'],
  retention: ['dropped_table'],
  spend_total: ['subject'],
  reservation: ['id'],
  run: ['id'],
  stream_journal: ['generation_id'],
  top_up_note: ['entry_id'],
  batch: ['id'],
  batch_rows: ['batch_id'],
  revision: ['scope'],
};

export type TableName = keyof Tables;

/** By column, with values as the table types say. */
export type Row = Readonly<Record<string, unknown>>;

/** Summaries of two tables are equal when the tables are. */
export interface TableSummary {
  readonly table: TableName;
  readonly rows: number;
  /** The sum of each `_nano_usd` column. */
  readonly sumsNanoUsd: Readonly<Record<string, bigint>>;
  /** SHA-256 over all rows in the order of the primary key, in hex. */
  readonly digest: string;
}

/** Each table comes after those that it references. */
export function tableNames(): TableName[] {
  // An object lists its keys in the order of its literal.
  return Object.keys(TABLE_KEYS) as TableName[];
}

/** A row has some tens of values, and SQLite takes 32766 of them in a statement. */
const PAGE_ROWS = 500;

/** Yields the pages of a table in the order of its primary key. */
export async function* pagesOf(db: Kysely<Tables>, table: TableName): AsyncGenerator<readonly Row[]> {
  const names: readonly string[] = TABLE_KEYS[table];
  const key = sql.join(names.map((name) => sql.ref(name)));
  for (let after: Row | undefined; ; ) {
    const values = sql.join(names.map((name) => sql.val(after?.[name])));
    const rest = after === undefined ? sql`` : sql`where (${key}) > (${values})`;
    const { rows } = await sql<Row>`
      select * from ${sql.table(table)} ${rest} order by ${key} limit ${sql.lit(PAGE_ROWS)}`.execute(db);
    if (rows.length > 0) yield rows;
    if (rows.length < PAGE_ROWS) return;
    after = rows.at(-1);
  }
}

/** All rows must have the same columns. */
export async function insertRows(db: Kysely<Tables>, table: TableName, rows: readonly Row[]): Promise<void> {
  const columns = Object.keys(rows[0] ?? {});
  const values = rows.map((row) => sql`(${sql.join(columns.map((column) => sql.val(row[column])))})`);
  await sql`insert into ${sql.table(table)} (${sql.join(columns.map((column) => sql.ref(column)))})
    values ${sql.join(values)}`.execute(db);
}

/** Builds a summary; `take` must be given every row, in the order of the primary key. */
export function summing(table: TableName): { take(rows: readonly Row[]): void; done(): TableSummary } {
  const hash = createHash('sha256');
  const sumsNanoUsd: Record<string, bigint> = {};
  let count = 0;
  return {
    take(rows) {
      for (const row of rows) {
        const columns = Object.keys(row).sort();
        hash.update(`${columns.map((column) => textOf(row[column])).join(',')}\n`);
        for (const column of columns.filter(isMoney)) {
          const amount = row[column];
          sumsNanoUsd[column] = (sumsNanoUsd[column] ?? 0n) + (typeof amount === 'bigint' ? amount : 0n);
        }
      }
      count += rows.length;
    },
    done: () => ({ table, rows: count, sumsNanoUsd, digest: hash.digest('hex') }),
  };
}

export async function tableSummaryOf(db: Kysely<Tables>, table: TableName): Promise<TableSummary> {
  const sums = summing(table);
  for await (const rows of pagesOf(db, table)) sums.take(rows);
  return sums.done();
}

function textOf(value: unknown): string {
  if (typeof value === 'bigint') return `${value}n`;
  if (Buffer.isBuffer(value)) return `x'${value.toString('hex')}'`;
  // PostgreSQL can't store NUL; its driver replaces it (`storable`).
  return typeof value === 'string' ? JSON.stringify(value.replaceAll('\0', '\uFFFD')) : String(value);
}
