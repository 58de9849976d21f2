/** Drops what is older than the operator keeps, by month or in pieces, while the gateway serves. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type RawBuilder, sql } from 'kysely';
import { type Clock, DAY_MS, isoTimestamp } from '../../base/clock.js';
import { dropExpiredAnswers } from '../cache/cached-answer-store.js';
import { type Database, NO_ACCOUNT } from '../database/database.js';
import { accountLock } from '../ledger/account-lock.js';
import { ENTRY_KINDS } from '../schema/ledger-kinds.js';
import type { RetentionTable } from '../schema/retention-schema.js';
import { createEntryDropper } from './drop-entries.js';
import { dropRecords } from './drop-records.js';
import { dropRuns } from './drop-runs.js';
import { dropTerms } from './drop-terms.js';

const RUN_EVERY_MS = 3_600_000;

/** How much longer than a piece the pause after it is, so that chats get most of the time. */
const PAUSE_FACTOR = 2;

/** How long a process that has ended keeps the others from dropping. */
const HOLD_MS = 60_000;

const ACCOUNTS_AT_ONCE = 100;

export type DroppedTable = RetentionTable['dropped_table'];

/** Whole days; null = for ever. */
export interface RetentionDays {
  readonly records: number | null;
  readonly ledger: number | null;
}

interface RetentionMeter {
  dropped(table: DroppedTable, rows: number): void;
}

export interface RetentionLog {
  info(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface Retention {
  /** Makes room for the records of the next months and drops what is due, now and every hour. */
  start(log: RetentionLog): void;
  /** Waits for the piece that is being dropped. */
  close(): Promise<void>;
  /** Drops everything that is due, if it is this process's turn. */
  run(log: RetentionLog): Promise<void>;
}

/** Drops a piece of the account's rows, and resolves to their number. */
type DropPiece = (accountId: string, before: number) => Promise<number>;

/** What is dropped of one table. */
interface Drop {
  /** What retention is of. */
  readonly table: DroppedTable;
  /** Where the rows are: the table itself, or a partition of it. */
  readonly from: string;
  readonly before: number;
}

export function createRetention(
  database: Database,
  days: RetentionDays,
  { clock, meter }: { readonly clock: Clock; readonly meter: RetentionMeter },
): Retention {
  const stopping = new AbortController();
  let running: Promise<void> = Promise.resolve();
  const { recordPartitions } = database;
  const pause = (ms: number) =>
    sleep(ms, undefined, { ref: false, signal: stopping.signal }).catch(() => undefined);

  const dropInPieces = async (drop: Drop, dropPiece: DropPiece): Promise<number> => {
    const { table, before } = drop;
    let rows = 0;
    let heldAt = clock.now();
    for await (const accountId of accountIds(database, drop)) {
      if (stopping.signal.aborted) break;
      for (let isMore = true; isMore && !stopping.signal.aborted; ) {
        const start = performance.now();
        const dropped = await dropPiece(accountId, before);
        isMore = dropped > 0;
        rows += dropped;
        meter.dropped(table, dropped);
        if (clock.now() - heldAt > HOLD_MS / 3) {
          heldAt = clock.now();
          if (!(await hold(database, table, before, heldAt))) return rows;
        }
        if (isMore) await pause((performance.now() - start) * PAUSE_FACTOR);
      }
    }
    return rows;
  };

  const dropRecordsBefore = async (before: number): Promise<number> => {
    const months = (await recordPartitions?.dropBefore(before, stopping.signal)) ?? 0;
    if (months > 0) meter.dropped('generation', months);
    let rows = months;
    for (const from of (await recordPartitions?.tablesInPieces()) ?? ['generation']) {
      rows += await dropInPieces({ table: 'generation', from, before }, recordDropper(database, from));
    }
    await dropTermsBefore(before);
    return rows;
  };

  /** The records that refer to them are out of reach, or gone. */
  const dropTermsBefore = async (before: number): Promise<void> => {
    const drop = () => database.transact([], (tx) => dropTerms(tx, before));
    while (!stopping.signal.aborted && (await drop()) > 0) await pause(1);
  };

  const dropEntriesBefore = (before: number): Promise<number> =>
    dropInPieces({ table: 'ledger_entry', from: 'ledger_entry', before }, entryDropper(database));

  const tables = [
    { table: 'generation', days: days.records, drop: dropRecordsBefore },
    { table: 'ledger_entry', days: days.ledger, drop: dropEntriesBefore },
  ] as const;

  const run = async (log: RetentionLog): Promise<void> => {
    for (const { table, days, drop } of tables) {
      if (days === null) continue;
      const now = clock.now();
      const before = now - (now % DAY_MS) - days * DAY_MS;
      if (!(await hold(database, table, before, now))) continue;
      const rows = await drop(before);
      if (rows > 0) log.info({ table, before: isoTimestamp(before), rows }, 'dropped what is no longer kept');
    }
    while (!stopping.signal.aborted && (await dropRuns(database, clock.now())) > 0) await pause(1);
    while (!stopping.signal.aborted && (await dropExpiredAnswers(database, clock.now())) > 0) await pause(1);
    while (!stopping.signal.aborted && (await database.releaseFreeSpace())) await pause(1);
  };

  /** A failure while it stops is that its connection was closed. */
  const attempt = (work: Promise<void> | undefined, log: RetentionLog, failure: string) =>
    work?.catch((error: unknown) => {
      if (!stopping.signal.aborted) log.error({ err: error }, failure);
    });

  const repeat = async (log: RetentionLog): Promise<void> => {
    while (!stopping.signal.aborted) {
      const prepared = recordPartitions?.prepare(clock.now(), stopping.signal);
      await attempt(prepared, log, 'could not make partitions of records');
      await attempt(run(log), log, 'could not drop what is too old');
      await pause(RUN_EVERY_MS);
    }
  };

  return {
    run,
    start(log) {
      running = repeat(log);
    },
    async close() {
      stopping.abort();
      await running;
    },
  };
}

function recordDropper(database: Database, from: string): DropPiece {
  return (accountId, before) =>
    database.transactWithLocks([accountLock(accountId)], async (db) => ({
      result: await dropRecords(db, from, accountId, before),
      writes: [],
    }));
}

function entryDropper(database: Database): DropPiece {
  const drop = createEntryDropper(database.query);
  return (accountId, before) =>
    database.transactWithLocks([accountLock(accountId)], async (db) => {
      const { rows, writes } = await drop(db, accountId, before);
      return { result: rows, writes };
    });
}

/**
 * Takes the table for this process, or keeps it, and marks from where on its rows are whole; false when another process
 * has it.
 */
async function hold(database: Database, table: DroppedTable, before: number, now: number): Promise<boolean> {
  const holder = database.leaseId;
  const result = await database.transact([], (tx) =>
    tx
      .insertInto('retention')
      .values({ dropped_table: table, dropped_before: before, holder, held_until: now + HOLD_MS })
      .onConflict((conflict) =>
        conflict
          .column('dropped_table')
          .doUpdateSet({
            dropped_before: sql.raw<number>(`case when retention.dropped_before > excluded.dropped_before
              then retention.dropped_before else excluded.dropped_before end`),
            holder,
            held_until: now + HOLD_MS,
          })
          .where((eb) => eb.or([eb('retention.held_until', '<', now), eb('retention.holder', '=', holder)])),
      )
      .executeTakeFirst(),
  );
  return result.numInsertedOrUpdatedRows === 1n;
}

/** The accounts that have something to drop. */
async function* accountIds({ reports }: Database, drop: Drop): AsyncGenerator<string> {
  for (let after = ''; ; ) {
    const accounts = reports(NO_ACCOUNT).selectFrom('account').select('id');
    const page = accounts.where('id', '>', after).where(hasOlder(drop));
    const rows = await page.orderBy('id').limit(ACCOUNTS_AT_ONCE).execute();
    for (const { id } of rows) yield id;
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.id;
  }
}

/** Each minimum is the first entry that an index has of the account. */
function hasOlder({ table, from, before }: Drop): RawBuilder<boolean> {
  const kinds = table === 'ledger_entry' ? ENTRY_KINDS.map((kind) => sql`and kind = ${kind}`) : [sql``];
  const isOlder = kinds.map(
    (kind) => sql`(
      select min(created_at) from ${sql.table(from)} where account_id = account.id ${kind}) < ${before}`,
  );
  return sql`(${sql.join(isOlder, sql` or `)})`;
}
