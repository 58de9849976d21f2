/**
 * Adds the generations that are older than the rollups to them, and the rollups that are older than the usage by day to
 * that, in steps, while the gateway serves.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Database } from '../database/database.js';
import { accountLock } from '../ledger/account-lock.js';
import type { Tables } from '../schema/schema.js';
import { fillDaysStep } from './daily-fill.js';
import { ADDED_TO_DAY, ADDED_TO_ROLLUP } from './usage-counter.js';
import { dailyUsageOf, USAGE_DAILY_KEY } from './usage-daily.js';
import { USAGE_KEY, USAGE_OF_GENERATION, USAGE_SUM_NAMES } from './usage-rollup.js';

/** How many records a step counts: on SQLite that blocks the event loop for some 5 ms. */
const STEP_RECORDS = 500;

/** How much longer than a step the pause after it is, so that chats get most of the time. */
const PAUSE_FACTOR = 2;

const RETRY_MS = 1_000;

/** Fills until all is in the rollups, also after failures. Returns a function that stops and waits for the last step. */
export function startFillingUsage(database: Database): () => Promise<void> {
  const stopping = new AbortController();
  const filling = fillAll(database, stopping.signal);
  return async () => {
    stopping.abort();
    await filling;
  };
}

async function fillAll(database: Database, stopping: AbortSignal): Promise<void> {
  for (let isMore = true; isMore && !stopping.aborted; ) {
    const start = performance.now();
    let isFailed = false;
    isMore = await anyStep(database).catch(() => {
      isFailed = true;
      return true;
    });
    const pauseMs = isFailed ? RETRY_MS : (performance.now() - start) * PAUSE_FACTOR;
    if (isMore) await sleep(pauseMs, undefined, { ref: false, signal: stopping }).catch(() => undefined);
  }
}

async function anyStep(database: Database): Promise<boolean> {
  return (await fillStep(database)) || (await fillDaysStep(database));
}

/** Resolves to false when there was nothing left to do. */
export async function fillStep(database: Database): Promise<boolean> {
  const pending = database.query.selectFrom('usage_fill').select('account_id').orderBy('account_id').limit(1);
  const account = await pending.executeTakeFirst();
  if (account === undefined) return false;
  // Under the lock of everything that writes rollups of the account.
  await database.transactWithLocks([accountLock(account.account_id)], async (db) => {
    await fillAccount(db, account.account_id);
    return { result: undefined, writes: [] };
  });
  return true;
}

/** Moves the account's position by a step, or removes it when it has reached the end. */
async function fillAccount(db: Kysely<Tables>, accountId: string): Promise<void> {
  const ofAccount = db.selectFrom('usage_fill').selectAll().where('account_id', '=', accountId);
  // Another process may have been faster.
  const position = await ofAccount.executeTakeFirst();
  if (position === undefined) return;
  const after = sql`account_id = ${accountId} and (created_at, id) > (${position.created_at}, ${position.id})`;
  const { rows } = await sql<{ created_at: number; id: string }>`
    select created_at, id from generation where ${after}
    order by created_at, id limit 1 offset ${STEP_RECORDS - 1}`.execute(db);
  const [last] = rows;
  const upTo = last === undefined ? sql`` : sql`and (created_at, id) <= (${last.created_at}, ${last.id})`;
  await addToRollups(db, sql`${after} ${upTo} and status is null`);
  if (last === undefined) await db.deleteFrom('usage_fill').where('account_id', '=', accountId).execute();
  else await db.updateTable('usage_fill').set(last).where('account_id', '=', accountId).execute();
}

/** Adds the generations for which the condition holds, also to the usage by day; each may be added once. */
export async function addToRollups(db: Kysely<Tables>, condition: RawBuilder<unknown>): Promise<void> {
  const counted = sql`(select ${USAGE_OF_GENERATION} from generation as g where ${condition}) as counted`;
  await sql`
    insert into usage_rollup (${names([...USAGE_KEY, ...USAGE_SUM_NAMES])}, daily_flip)
    select ${names(USAGE_KEY)}, ${SUMMED}, 1 from ${counted} where true group by ${names(USAGE_KEY)}
    on conflict (${names(USAGE_KEY)}) do update set ${assigned(ADDED_TO_ROLLUP)}`.execute(db);
  await sql`
    insert into usage_daily (${names([...USAGE_DAILY_KEY, ...USAGE_SUM_NAMES])})
    select ${names(USAGE_DAILY_KEY)}, ${SUMMED} from (${dailyUsageOf(counted)}) as daily
    where true group by ${names(USAGE_DAILY_KEY)}
    on conflict (${names(USAGE_DAILY_KEY)}) do update set ${assigned(ADDED_TO_DAY)}`.execute(db);
}

const SUMMED = sql.join(USAGE_SUM_NAMES.map((name) => sql`sum(${sql.ref(name)})`));

function names(columns: readonly string[]): RawBuilder<unknown> {
  return sql.join(columns.map((name) => sql.ref(name)));
}

function assigned(values: Readonly<Record<string, RawBuilder<unknown>>>): RawBuilder<unknown> {
  return sql.join(Object.entries(values).map(([name, value]) => sql`${sql.ref(name)} = ${value}`));
}
