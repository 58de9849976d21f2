import { setTimeout as sleep } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import { Problem } from '../../../base/problem.js';
import type { Tables } from '../../schema.js';
import { type Engine, REPORT_TIMEOUT_MS } from '../engine.js';
import { createProcessLease } from '../process-lease.js';
import { DatabaseUnusable, databaseUnavailable } from '../unavailable.js';
import { NO_TIMEOUTS, PostgresConnections } from './connections.js';
import { postgresKysely } from './dialect.js';
import { PostgresSingleDriver, PostgresWriteDriver } from './driver.js';
import { isConflict, isLost, isOutdated, isRefusal, reasonOf } from './errors.js';
import { findIntegrityErrors } from './integrity.js';
import { leaseStatement, PostgresLeases } from './leases.js';
import { BUMP_CHANNEL, PostgresListener } from './listener.js';
import { transactLocked } from './locked-transaction.js';
import { unlessWritten, writeWithLocks } from './optimistic-write.js';
import { createPostgresRateLimiter } from './rate-limit.js';
import { StatementNames } from './statements.js';

/**
 * With the one that listens a process has 10 connections at most (and, where it migrates, one more), so that a server
 * of 100 has room for nine processes.
 */
const READING_CONNECTIONS = 3;
const REPORTING_CONNECTIONS = 2;
const WRITING_CONNECTIONS = 4;

/** How long a transaction is run again and again for others' sake, as long as a writer on SQLite waits for them. */
const RETRY_FOR_MS = 5_000;

/** Attempts beside the other writers; from then on the transaction has them wait, and so comes to its end. */
const PARALLEL_ATTEMPTS = 3;

/** The longest random pause before a further attempt: about one transaction. */
const MAX_PAUSE_MS = 10;

/**
 * All writers hold a weak lock on the counters' table, which they do not notice of each other. A transaction that has
 * lost too often takes one that excludes them. Locking tables is the one thing that a serialisable transaction can do
 * before it decides what it sees: afterwards it sees all that it has waited for.
 */
const CONCURRENT = 'begin isolation level serializable; lock table revision in row exclusive mode';
const BLOCKING = 'begin isolation level serializable; lock table revision in share row exclusive mode';

/** Any number that nobody else is likely to use. What comes after the lock sees all that was done under it before. */
const EXCLUSIVE = 'begin isolation level read committed; select pg_advisory_xact_lock(7019305528311467)';

/**
 * Opens a PostgreSQL database that many processes share. Transactions are serialisable: the database finds those
 * that would not be as if they had followed each other, and undoes all but one; they are run again here. Those that
 * name what they move wait for each other instead. Throws DatabaseUnusable when it can't be reached now.
 */
export async function openPostgres(url: string): Promise<Engine> {
  const self = createProcessLease();
  // Somebody always reads, be it for changes.
  const reading = new PostgresConnections(url, READING_CONNECTIONS, READING, leaseStatement(self.id));
  const writing = new PostgresConnections(url, WRITING_CONNECTIONS, WRITING);
  const reporting = new PostgresConnections(url, REPORTING_CONNECTIONS, REPORTING);
  const reader = postgresKysely(new PostgresSingleDriver(reading));
  const reports = postgresKysely(new PostgresSingleDriver(reporting));
  const counting = postgresKysely(new PostgresSingleDriver(writing));
  const unlimited = new PostgresConnections(url, 1, NO_TIMEOUTS);
  const names = new StatementNames();
  const writer = (begin: string, connections = writing) =>
    postgresKysely(new PostgresWriteDriver(connections, names, begin));
  const [besideOthers, beforeOthers] = [writer(CONCURRENT), writer(BLOCKING)];
  const exclusive = writer(EXCLUSIVE, unlimited);
  const leases = new PostgresLeases(reader, self);
  const listener = new PostgresListener(url, leases);
  const running = new Set<Promise<unknown>>();
  const close = async () => {
    await Promise.allSettled(running);
    leases.end();
    await Promise.all([
      listener.stop(),
      ...[reading, reporting, writing, unlimited].map((each) => each.close()),
    ]);
  };
  try {
    await requireUnicode(reader);
  } catch (error) {
    await close();
    const { cause } = error instanceof Problem ? error : { cause: error };
    throw new DatabaseUnusable(`the database cannot be used (${reasonOf(cause)})`);
  }
  return {
    reader,
    lists: reports,
    reports,
    columnTypes: { bytes: 'bytea', volatileTable: 'unlogged' },
    transact: (work) => {
      const attempt = (count: number) =>
        (count <= PARALLEL_ATTEMPTS ? besideOthers : beforeOthers).transaction().execute(work);
      return tracked(running, retry(attempt));
    },
    transactWithLocks: (on, work) =>
      tracked(
        running,
        retry(() => transactLocked(writing, names, on, work)),
      ),
    writeOptimistically: (on, decided) => {
      const attempt = (count: number) =>
        count === 1
          ? writeWithLocks(writing, names, on, decided)
          : transactLocked(writing, names, on, (db) => unlessWritten(db, decided));
      return tracked(running, retry(attempt));
    },
    withExclusiveLock(work, { mayRepeat } = { mayRepeat: false }) {
      const attempt = () => exclusive.transaction().execute(work);
      return tracked(running, mayRepeat ? retry(attempt) : attempt());
    },
    changeMark: () => sumOfCounters(reader),
    signalBump: async (tx) => void (await sql`select pg_notify(${BUMP_CHANNEL}, '')`.execute(tx)),
    onBump: (heard) => listener.start(heard),
    leaseId: leases.id,
    lostLeases: (holders) => leases.lostLeases(holders),
    rateLimiter: (perMinute) => createPostgresRateLimiter(counting, perMinute),
    ping: async () => void (await sql`select 1`.execute(reader)),
    refuseDamaged: () => {},
    integrityErrors: () => findIntegrityErrors(url),
    close,
  };
}

/** Reads change nothing: the stores would not notice that another process does not see it. */
const READING = { default_transaction_read_only: 'on' };
const REPORTING = { ...READING, statement_timeout: String(REPORT_TIMEOUT_MS) };

/**
 * What a transaction has read by an index, the server remembers by rows; what it has read by going through a table, as
 * the whole table, and every writer of it as a conflict. The plans that this forbids are those of small tables.
 */
const WRITING = { enable_seqscan: 'off', jit: 'off' };

/** Attempts, counted from 1, until one comes to its end, or the database won't have it. */
async function retry<T>(attempt: (count: number) => Promise<T>): Promise<T> {
  const giveUpAt = performance.now() + RETRY_FOR_MS;
  for (let count = 1; ; count++) {
    try {
      return await attempt(count);
    } catch (error) {
      const mayGoOn = isConflict(error) || isLost(error) || isOutdated(error);
      if (!mayGoOn && !isRefusal(error)) throw error;
      if (!mayGoOn || performance.now() > giveUpAt) throw databaseUnavailable(error);
    }
    await sleep(Math.random() * MAX_PAUSE_MS);
  }
}

/** Keeps the promise in the set until it is settled. */
async function tracked<T>(running: Set<Promise<unknown>>, promise: Promise<T>): Promise<T> {
  running.add(promise);
  try {
    return await promise;
  } finally {
    running.delete(promise);
  }
}

async function sumOfCounters(reader: Kysely<Tables>): Promise<number> {
  const { mark } = await reader
    .selectFrom('revision')
    .select((eb) => eb.fn.sum<number>('value').as('mark'))
    .executeTakeFirstOrThrow();
  return mark;
}

/** Other encodings can't hold every text. */
async function requireUnicode(reader: Kysely<Tables>): Promise<void> {
  const { rows } = await sql<{ name: string }>`select current_setting('server_encoding') as name`.execute(
    reader,
  );
  const encoding = rows[0]?.name;
  if (encoding !== 'UTF8') throw new Error(`its encoding must be UTF8, not ${encoding}`);
}
