import { type Kysely, type Selectable, sql } from 'kysely';
import { type Database, NO_ACCOUNT } from '../database/database.js';
import { accountLock } from '../ledger/account-lock.js';
import type { Tables } from '../schema/schema.js';
import type { UsageDailyFillTable, UsageDailyTable } from '../schema/usage-schema.js';
import { ADDED_TO_DAY } from './usage-counter.js';
import { ALL_WORKSPACES, dailyUsageOf, USAGE_DAILY_KEY } from './usage-daily.js';
import { USAGE_SUM_NAMES } from './usage-rollup.js';

type FillPosition = Selectable<UsageDailyFillTable>;

/** How many rows a step writes: on SQLite that blocks the event loop for some 5 ms. */
const STEP_ROWS = 500;

/**
 * Adds some of what an account's rollups of one day sum and the usage by day does not. Resolves to false when there was
 * nothing left to do.
 */
export async function fillDaysStep(database: Database): Promise<boolean> {
  const pending = database.query.selectFrom('usage_daily_fill').selectAll().orderBy('account_id').limit(1);
  const position = await pending.executeTakeFirst();
  if (position === undefined) return false;
  // Needs no lock: what is added to rollups meanwhile is added to both sides.
  const rows = await lackingRows(database.reports(NO_ACCOUNT), position);
  await database.transactWithLocks([accountLock(position.account_id)], async (db) => {
    if (await isAt(db, position)) {
      await addDays(db, rows);
      await movePosition(db, position, rows.length);
    }
    return { result: undefined, writes: [] };
  });
  return true;
}

/** What the day lacks, or some of it. Only steps change that. */
async function lackingRows(
  reports: Kysely<Tables>,
  { account_id: accountId, reverse_day: day }: FillPosition,
): Promise<readonly Selectable<UsageDailyTable>[]> {
  const key = sql.join(USAGE_DAILY_KEY.map((name) => sql.ref(name)));
  const names = sql.join(USAGE_SUM_NAMES.map((name) => sql.ref(name)));
  const sums = sql.join(USAGE_SUM_NAMES.map((name) => sql`sum(${sql.ref(name)}) as ${sql.ref(name)}`));
  const negative = sql.join(USAGE_SUM_NAMES.map((name) => sql`-${sql.ref(name)}`));
  const { rows } = await sql<Selectable<UsageDailyTable>>`
    with summed as (
      select ${key}, ${sums} from usage_rollup
      where account_id = ${accountId} and reverse_day = ${day} group by ${key}
    ), counted as (
      select ${key}, ${names} from (${dailyUsageOf(sql`summed`)}) as daily
      union all
      select ${key}, ${negative} from usage_daily
      where account_id = ${accountId} and reverse_day = ${day}
        and workspace_id in (select ${sql.lit(ALL_WORKSPACES)} union all select workspace_id from summed)
    )
    select ${key}, ${sums} from counted group by ${key} having sum(requests) <> 0
    limit ${STEP_ROWS}`.execute(reports);
  return rows;
}

/** False when another process has been faster. */
async function isAt(db: Kysely<Tables>, { account_id, reverse_day, added }: FillPosition): Promise<boolean> {
  const ofAccount = db.selectFrom('usage_daily_fill').selectAll().where('account_id', '=', account_id);
  const current = await ofAccount.executeTakeFirst();
  return current?.reverse_day === reverse_day && current.added === added;
}

async function addDays(db: Kysely<Tables>, rows: readonly Selectable<UsageDailyTable>[]): Promise<void> {
  if (rows.length === 0) return;
  await db
    .insertInto('usage_daily')
    .values([...rows])
    .onConflict((conflict) => conflict.columns([...USAGE_DAILY_KEY]).doUpdateSet(ADDED_TO_DAY))
    .execute();
}

/** Stays at the day after a whole step, moves to the next one after a shorter, and is removed behind the last. */
async function movePosition(db: Kysely<Tables>, position: FillPosition, rows: number): Promise<void> {
  const { account_id: accountId, reverse_day: day, added } = position;
  const ofAccount = db.updateTable('usage_daily_fill').where('account_id', '=', accountId);
  if (rows === STEP_ROWS) {
    await ofAccount.set({ added: added + rows }).execute();
    return;
  }
  const { next } = await db
    .selectFrom('usage_rollup')
    .select(({ fn }) => fn.min<number | null>('reverse_day').as('next'))
    .where('account_id', '=', accountId)
    .where('reverse_day', '>', day)
    .executeTakeFirstOrThrow();
  if (next === null) await db.deleteFrom('usage_daily_fill').where('account_id', '=', accountId).execute();
  else await ofAccount.set({ reverse_day: next, added: 0 }).execute();
}
