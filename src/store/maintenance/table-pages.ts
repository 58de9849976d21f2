/** Whole tables of any kind of database, row by row. Memory holds one page of them at a time. */
import { createHash } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import { isMoney } from '../engine/columns.js';
import type { Tables } from '../schema.js';

/** Every table with the column that is its primary key. Each stands after all that it references. */
const TABLE_KEYS = {
  account: 'id',
  workspace: 'id',
  client: 'id',
  api_key: 'hash',
  management_key: 'hash',
  operator_key: 'hash',
  guardrail: 'id',
  guardrail_assignment: 'id',
  workspace_member: 'id',
  workspace_budget: 'id',
  account_preferences: 'account_id',
  byok_key: 'id',
  shared_credential: 'provider',
  catalog_provider: 'slug',
  catalog_model: 'id',
  generation: 'id',
  ledger_entry: 'id',
  spend_total: 'subject',
  reservation: 'id',
  batch: 'id',
  batch_rows: 'batch_id',
  revision: 'scope',
} as const satisfies { readonly [Table in keyof Tables]: keyof Tables[Table] };

/** A table of the schema. */
export type TableName = keyof Tables;

/** A row by its columns, as the table types say. */
export type Row = Readonly<Record<string, unknown>>;

/** What a table holds. Equal of two tables when they hold the same. */
export interface TableSummary {
  readonly table: TableName;
  readonly rows: number;
  /** The sum of each `_nano_usd` column. */
  readonly sumsNanoUsd: Readonly<Record<string, bigint>>;
  /** SHA-256 over all rows in the order of the primary key, in hex. */
  readonly digest: string;
}

/** All tables, each after those that it references. */
export function tableNames(): TableName[] {
  // The keys of an object literal are in the order in which they are written.
  return Object.keys(TABLE_KEYS) as TableName[];
}

/** Rows of a page. A row has some tens of values, and SQLite takes 32766 of them in a statement. */
const PAGE_ROWS = 500;

/** The pages of a table in the order of its primary key; none of an empty one. */
export async function* pagesOf(db: Kysely<Tables>, table: TableName): AsyncGenerator<readonly Row[]> {
  const key = sql.ref(TABLE_KEYS[table]);
  for (let after: unknown; ; ) {
    const rest = after === undefined ? sql`` : sql`where ${key} > ${after}`;
    const { rows } = await sql<Row>`
      select * from ${sql.table(table)} ${rest} order by ${key} limit ${sql.lit(PAGE_ROWS)}`.execute(db);
    if (rows.length > 0) yield rows;
    if (rows.length < PAGE_ROWS) return;
    after = rows.at(-1)?.[TABLE_KEYS[table]];
  }
}

/** Adds rows that have the same columns. */
export async function insertRows(db: Kysely<Tables>, table: TableName, rows: readonly Row[]): Promise<void> {
  const columns = Object.keys(rows[0] ?? {});
  const values = rows.map((row) => sql`(${sql.join(columns.map((column) => sql.val(row[column])))})`);
  await sql`insert into ${sql.table(table)} (${sql.join(columns.map((column) => sql.ref(column)))})
    values ${sql.join(values)}`.execute(db);
}

/** Sums up a table of which `take` is given every row, in the order of the primary key. */
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

/** Sums up a table by reading it. */
export async function summaryOf(db: Kysely<Tables>, table: TableName): Promise<TableSummary> {
  const sums = summing(table);
  for await (const rows of pagesOf(db, table)) sums.take(rows);
  return sums.done();
}

function textOf(value: unknown): string {
  if (typeof value === 'bigint') return `${value}n`;
  if (Buffer.isBuffer(value)) return `x'${value.toString('hex')}'`;
  // PostgreSQL has no such character: its engine stores the other one (`storable`).
  return typeof value === 'string' ? JSON.stringify(value.replaceAll('\0', '\uFFFD')) : String(value);
}
