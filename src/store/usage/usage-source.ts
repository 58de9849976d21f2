import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { ActivityGroup, ActivityRange } from '../../accounts/activity.js';
import { MAX_COUNT } from '../query/read-page.js';
import type { UsageAttributionTable } from '../schema/attribution-schema.js';
import type { Tables } from '../schema/schema.js';
import type { UsageRollupTable } from '../schema/usage-schema.js';
import { withAttribution } from './usage-attribution.js';
import { ALL_WORKSPACES, workspacesWithUsage } from './usage-daily.js';
import { reverseDayOf, USAGE_KEY, USAGE_OF_GENERATION, USAGE_SUM_NAMES } from './usage-rollup.js';

/** Where the usage of an account in a window is read from. */
export interface UsageSource {
  /** Has the columns that are asked for. A sum of no requests is of nothing. */
  readonly usage: RawBuilder<UsageAttributionTable>;
  /** Which of its rows are of the workspaces that are asked for. */
  readonly workspaces: RawBuilder<boolean>;
}

/** What reads least. `columns`: what usage is grouped by, in the order of the list. */
export async function usageSource(
  db: Kysely<Tables>,
  accountId: string,
  window: ActivityRange,
  columns: readonly (keyof UsageAttributionTable)[],
): Promise<UsageSource> {
  const lacking = await lackingTables(db, accountId);
  const { workspaceId, apiKeyHash } = window;
  if (window.groupBy.some((group) => OF_ATTRIBUTION.includes(group))) {
    const whole = lacking.has('usage_rollup') ? withUncounted(accountId) : sql`usage_rollup`;
    return { usage: withAttribution(whole, accountId), workspaces: ofWorkspace(workspaceId) };
  }
  if (lacking.size === 0 && isOfDays(window)) {
    return { usage: sql`usage_daily`, workspaces: workspacesOfDays(accountId, window) };
  }
  const workspaces = ofWorkspace(workspaceId);
  if (lacking.has('usage_rollup')) return { usage: withUncounted(accountId), workspaces };
  if (apiKeyHash !== null) return { usage: rollupsOfKey(accountId, window), workspaces };
  const isFound =
    workspaceId !== null &&
    !lacking.has('usage_daily') &&
    !(isInOrder(columns) && (await isFoundSoonInOrder(db, accountId, workspaceId)));
  return {
    usage: isFound ? rollupsOfWorkspace(accountId, workspaceId, window) : sql`usage_rollup`,
    workspaces,
  };
}

/** What only requests have that say so. */
const OF_ATTRIBUTION: readonly ActivityGroup[] = ['run', 'agent', 'end_user'];

/** null = all. A range, since for a single value SQLite sorts what it counts instead of reading it in order. */
function ofWorkspace(id: string | null): RawBuilder<boolean> {
  return id === null ? sql`true` : sql`workspace_id between ${id} and ${id}`;
}

/** The days and the key. */
export function ofWindow({ fromMs, beforeMs, apiKeyHash }: ActivityRange): RawBuilder<boolean> {
  const conditions = [
    ...(fromMs === null ? [] : [sql`reverse_day <= ${reverseDayOf(fromMs)}`]),
    ...(beforeMs === null ? [] : [sql`reverse_day > ${reverseDayOf(beforeMs)}`]),
    ...(apiKeyHash === null ? [] : [sql`api_key_hash = ${apiKeyHash}`]),
  ];
  return conditions.length === 0 ? sql`true` : sql`${sql.join(conditions, sql` and `)}`;
}

/** The tables that do not have all usage of the account yet. */
async function lackingTables(db: Kysely<Tables>, accountId: string): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ lacking: string }>`
    select 'usage_rollup' as lacking from usage_fill where account_id = ${accountId}
    union all select 'usage_daily' from usage_daily_fill where account_id = ${accountId}`.execute(db);
  return new Set(rows.map(({ lacking }) => lacking));
}

const FINER_THAN_DAYS: readonly ActivityGroup[] = ['hour', 'api_key', 'user'];

function isOfDays({ groupBy, apiKeyHash }: ActivityRange): boolean {
  return apiKeyHash === null && !groupBy.some((group) => FINER_THAN_DAYS.includes(group));
}

/** A range of days of each of these is one of the primary key. */
function workspacesOfDays(accountId: string, { groupBy, workspaceId }: ActivityRange): RawBuilder<boolean> {
  if (workspaceId === null && groupBy.includes('workspace')) {
    return sql`workspace_id in ${workspacesWithUsage(sql`${accountId}`)}`;
  }
  return sql`workspace_id = ${workspaceId ?? ALL_WORKSPACES}`;
}

/** The index of keys finds them. */
function rollupsOfKey(accountId: string, window: ActivityRange): RawBuilder<UsageAttributionTable> {
  return rollupsFoundBy(
    USAGE_KEY,
    (names) => sql`select ${names} from usage_rollup where account_id = ${accountId} and ${ofWindow(window)}`,
  );
}

/** What a row of `usage_daily` and a rollup that it sums share, in the order of the rollup's primary key. */
const SHARED_KEY = USAGE_KEY.slice(0, USAGE_KEY.indexOf('workspace_id') + 1);

/** The days of the workspace say where they are. */
function rollupsOfWorkspace(
  accountId: string,
  workspaceId: string,
  window: ActivityRange,
): RawBuilder<UsageAttributionTable> {
  return rollupsFoundBy(
    SHARED_KEY,
    (names) => sql`
      select distinct ${names} from usage_daily
      where account_id = ${accountId} and workspace_id = ${workspaceId} and ${ofWindow(window)}`,
  );
}

/**
 * The rollups that have the values of `columns`, which begin their primary key, in one of the rows that `select` finds. They
 * are read range by range: SQLite would read those of the whole account in the order that is asked for.
 */
function rollupsFoundBy(
  columns: readonly (keyof UsageRollupTable)[],
  select: (names: RawBuilder<unknown>) => RawBuilder<unknown>,
): RawBuilder<UsageAttributionTable> {
  const same = sql.join(
    columns.map((name) => sql`${sql.ref(`rollup.${name}`)} = ${sql.ref(`found.${name}`)}`),
    sql` and `,
  );
  return sql`(
    with found as materialized (${select(sql.join(columns.map((name) => sql.ref(name))))})
    select rollup.* from found join usage_rollup as rollup on ${same}
  )`;
}

/** Whether the rollups of a workspace lie in the order of these columns. */
function isInOrder(columns: readonly (keyof UsageAttributionTable)[]): boolean {
  const others = (names: readonly (keyof UsageAttributionTable)[]) =>
    names.filter((name) => name !== 'account_id' && name !== 'workspace_id');
  const order = others(USAGE_KEY);
  return others(columns).every((name, index) => name === order[index]);
}

/**
 * Whether reading the account's rollups in their order finds enough of the workspace's sooner than reading all of the
 * workspace. Requests stand for rollups, which would have to be counted.
 */
async function isFoundSoonInOrder(
  db: Kysely<Tables>,
  accountId: string,
  workspaceId: string,
): Promise<boolean> {
  const requestsOf = (workspace: string) => sql`(
    select coalesce(sum(requests), 0) from usage_daily where account_id = ${accountId} and workspace_id = ${workspace}
  )`;
  const { rows } = await sql<{ ofAll: number; ofWorkspace: number }>`
    select ${requestsOf(ALL_WORKSPACES)} as "ofAll", ${requestsOf(workspaceId)} as "ofWorkspace"`.execute(db);
  return rows.some(({ ofAll, ofWorkspace }) => (MAX_COUNT * ofAll) / ofWorkspace < ofWorkspace);
}

/** The rollups of the account and the generations that are not in them yet, in one statement and so in one snapshot. */
function withUncounted(accountId: string): RawBuilder<UsageAttributionTable> {
  const columns = sql.join([...USAGE_KEY, ...USAGE_SUM_NAMES].map((name) => sql.ref(name)));
  return sql`(
    select ${columns} from usage_rollup where account_id = ${accountId}
    union all
    select ${USAGE_OF_GENERATION} from usage_fill as f
    join generation as g on g.account_id = f.account_id and (g.created_at, g.id) > (f.created_at, f.id)
    where f.account_id = ${accountId} and g.status is null
  )`;
}
