/** How large each table is and how fast it grows (`byway db stats`). */
import { type RawBuilder, sql } from 'kysely';
import { DAY_MS } from '../../base/clock.js';
import { type Database, NO_ACCOUNT } from '../database/database.js';
import type { TableSize } from '../engine/engine.js';
import { ENTRY_KINDS } from '../schema/ledger-kinds.js';
import { ALL_WORKSPACES, workspacesWithUsage } from '../usage/usage-daily.js';
import { type TableName, tableNames } from './table-pages.js';

export interface TableStats extends TableSize {
  /** Unix milliseconds; null where rows have no time, or there are none. */
  readonly oldest: number | null;
  /** The mean of the last days; null where `oldest` is. */
  readonly rowsADay: number | null;
}

const GROWTH_DAYS = 7;

interface Age {
  readonly oldest: number | null;
  readonly recent: number | null;
}

/** Largest first. */
export async function tableStats(database: Database, now: number): Promise<TableStats[]> {
  const names = tableNames();
  const stats: TableStats[] = [];
  for (const size of await database.tableSizes()) {
    const table = names.find((name) => name === size.table);
    if (table === undefined) continue;
    const { oldest, recent } = await ageOf(database, table, now - GROWTH_DAYS * DAY_MS);
    // Of a table that is younger than that, by its own days.
    const days = oldest === null ? 0 : Math.min(GROWTH_DAYS, Math.max(1, (now - oldest) / DAY_MS));
    stats.push({ ...size, oldest, rowsADay: oldest === null ? null : (recent ?? 0) / days });
  }
  return stats.sort((a, b) => b.bytes - a.bytes);
}

async function ageOf({ reports }: Database, table: TableName, since: number): Promise<Age> {
  const query = WITH_CREATION.includes(table) ? byCreation(table, since) : AGES[table]?.(since);
  const [age] = query === undefined ? [] : (await query.execute(reports(NO_ACCOUNT))).rows;
  return age ?? { oldest: null, recent: null };
}

function byCreation(table: TableName, since: number): RawBuilder<Age> {
  return sql`
    select min(created_at) as oldest, count(case when created_at >= ${since} then 1 end) as recent
    from ${sql.table(table)}`;
}

const WITH_CREATION: readonly TableName[] = [
  'account',
  'workspace',
  'client',
  'api_key',
  'management_key',
  'operator_key',
  'guardrail',
  'guardrail_assignment',
  'workspace_member',
  'workspace_budget',
  'byok_key',
  'batch',
];

/** For tables that grow with every request: read account by account from an index alone. */
const AGES: { readonly [Table in TableName]?: (since: number) => RawBuilder<Age> } = {
  generation: (since) => sql`
    select min(oldest) as oldest, cast(sum(recent) as bigint) as recent from (
      select (select min(created_at) from generation where account_id = account.id) as oldest,
        (select count(*) from generation where account_id = account.id and created_at >= ${since}) as recent
      from account
    ) as ages`,
  ledger_entry: (since) => sql`
    select min(oldest) as oldest, cast(sum(recent) as bigint) as recent from (
      select (select min(created_at) from ledger_entry where account_id = account.id and kind = kinds.kind) as oldest,
        (select count(*) from ledger_entry
          where account_id = account.id and kind = kinds.kind and created_at >= ${since}) as recent
      from account cross join (${sql.join(
        ENTRY_KINDS.map((kind) => sql`select ${sql.lit(kind)} as kind`),
        sql` union all `,
      )}) as kinds
    ) as ages`,
  usage_rollup: (since) => sql`
    select min(oldest) * ${sql.lit(DAY_MS)} as oldest, cast(sum(recent) as bigint) as recent from (
      select cast((select -max(reverse_day) from usage_rollup where account_id = account.id) as bigint) as oldest,
        (select count(*) from usage_rollup
          where account_id = account.id and reverse_day <= ${-Math.floor(since / DAY_MS)}) as recent
      from account
    ) as ages`,
  usage_daily: (since) => sql`
    select min(oldest) * ${sql.lit(DAY_MS)} as oldest, cast(sum(recent) as bigint) as recent from (
      select cast((
          select -max(reverse_day) from usage_daily
          where account_id = account.id and workspace_id = ${sql.lit(ALL_WORKSPACES)}
        ) as bigint) as oldest,
        (select count(*) from usage_daily
          where account_id = account.id and reverse_day <= ${-Math.floor(since / DAY_MS)}
            and workspace_id in (
              select ${sql.lit(ALL_WORKSPACES)}
              union all select workspace_id from ${workspacesWithUsage(sql`account.id`)} as named
            )) as recent
      from account
    ) as ages`,
};
