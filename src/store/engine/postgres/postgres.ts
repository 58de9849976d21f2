import { setTimeout as sleep } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import { Problem } from '../../../base/problem.js';
import type { Tables } from '../../schema.js';
import { type ColumnTypes, type Engine, REPORT_TIMEOUT_MS } from '../engine.js';
import { FairReads } from '../fair-reads.js';
import { createProcessLease } from '../process-lease.js';
import { StatementDriver } from '../statement-driver.js';
import { DatabaseUnusable, databaseUnavailable } from '../unavailable.js';
import { NO_TIMEOUTS, PostgresConnections } from './connections.js';
import { postgresKysely } from './dialect.js';
import { AnyConnection, PostgresWriteDriver } from './driver.js';
import { isConflict, isLost, isOutdated, isRefusal, reasonOf } from './errors.js';
import { findIntegrityErrors } from './integrity.js';
import { leaseStatement, PostgresLeases } from './leases.js';
import { BUMP_CHANNEL, PostgresListener } from './listener.js';
import { transactLocked } from './locked-transaction.js';
import { unlessWritten, writeWithLocks } from './optimistic-write.js';
import { createRecordPartitions } from './partitions/record-partitions.js';
import { createPostgresRateLimiter } from './rate-limit.js';
import { ServerClock } from './server-clock.js';
import { StatementNames } from './statements.js';
import { tableSizes } from './table-sizes.js';

/**
 * With the listening one a process has at most 10 connections (and one more while it migrates), so that a server with
 * 100 connections has room for nine processes.
 */
const READING_CONNECTIONS = 3;
const REPORTING_CONNECTIONS = 2;
const WRITING_CONNECTIONS = 4;

/** How long a transaction is retried after conflicts; as long as a writer on SQLite waits for others. */
const RETRY_FOR_MS = 5_000;

/** Attempts concurrent with other writers; later ones block them, so that the transaction succeeds. */
const PARALLEL_ATTEMPTS = 3;

/** Of the random pause before a retry: about one transaction. */
const MAX_PAUSE_MS = 10;

/**
 * All writers hold a weak lock on the table of revisions, which does not conflict with itself. A transaction that had
 * too many conflicts takes one that excludes the other writers. A serializable transaction takes its snapshot after it
 * has locked a table, so it sees everything that it has waited for.
 */
const CONCURRENT = 'begin isolation level serializable; lock table revision in row exclusive mode';
const BLOCKING = 'begin isolation level serializable; lock table revision in share row exclusive mode';

/** The lock number is arbitrary. The statements after it see everything that was committed under the lock before. */
const EXCLUSIVE = 'begin isolation level read committed; select pg_advisory_xact_lock(7019305528311467)';

const POSTGRES_TYPES: ColumnTypes = {
  bytes: 'bytea',
  volatileTable: 'unlogged',
  clusteredTable: '',
  // A little less than half, since a page is never filled exactly.
  leaveRoom: (table) => [`alter table ${table} set (fillfactor = 45)`],
  rowTrigger: ({ name, table, event, when, statements }) => ({
    create: [
      `create function ${name}() returns trigger language plpgsql as
        $$ begin ${statements.join('; ')}; return null; end $$`,
      `create trigger ${name} after ${event} on ${table} for each row when (${when}) execute function ${name}()`,
    ],
    drop: `drop function ${name}() cascade`,
  }),
};

/**
 * Opens a PostgreSQL database that many processes share. Transactions are serializable; those that the database rolls
 * back because of a conflict are retried here. Transactions with locks wait for each other instead. Throws
 * DatabaseUnusable when the database can't be reached.
 */
export async function openPostgres(
  url: string,
  { forExamination = false }: { readonly forExamination?: boolean } = {},
): Promise<Engine> {
  const self = createProcessLease();
  const settings = forExamination ? { ...READING, ...NO_TIMEOUTS } : READING;
  // The reading connections hold the lease: they are always in use, since changes are polled.
  const reading = new PostgresConnections(url, READING_CONNECTIONS, settings, leaseStatement(self.id));
  const writing = new PostgresConnections(url, WRITING_CONNECTIONS, WRITING);
  const reporting = new PostgresConnections(url, REPORTING_CONNECTIONS, REPORTING);
  const reader = postgresKysely(new StatementDriver(new AnyConnection(reading)));
  const reports = new FairReads({
    connection: new AnyConnection(reporting),
    atOnce: REPORTING_CONNECTIONS,
    builderOn: postgresKysely,
  });
  const counting = postgresKysely(new StatementDriver(new AnyConnection(writing)));
  const unlimited = new PostgresConnections(url, 1, NO_TIMEOUTS);
  const names = new StatementNames();
  const writer = (begin: string, connections = writing) =>
    postgresKysely(new PostgresWriteDriver(connections, names, begin));
  const [concurrent, blocking] = [writer(CONCURRENT), writer(BLOCKING)];
  const exclusive = writer(EXCLUSIVE, unlimited);
  const leases = new PostgresLeases(reader, self);
  const listener = new PostgresListener(url, leases);
  const serverClock = new ServerClock();
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
    columnTypes: POSTGRES_TYPES,
    transact: (work) => {
      const attempt = (count: number) =>
        (count <= PARALLEL_ATTEMPTS ? concurrent : blocking).transaction().execute(work);
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
      return tracked(
        running,
        retry(attempt).then((isWritten) => {
          if (isWritten) decided.onCommit();
          return isWritten;
        }),
      );
    },
    exclusive: null,
    withExclusiveLock(work, { mayRepeat } = { mayRepeat: false }) {
      const attempt = () => exclusive.transaction().execute(work);
      return tracked(running, mayRepeat ? retry(attempt) : attempt());
    },
    corrected: (clock) => serverClock.corrected(clock),
    changeMark: () => sumOfCounters(reader, serverClock),
    signalBump: async (tx, signal) =>
      void (await sql`select pg_notify(${BUMP_CHANNEL}, ${signal})`.execute(tx)),
    onBump: (onSignal) => listener.start(onSignal),
    leaseId: leases.id,
    lostLeases: (leaseIds) => leases.lostLeases(leaseIds),
    rateLimiter: (perMinute) => createPostgresRateLimiter(counting, perMinute),
    ping: async () => void (await sql`select 1`.execute(reader)),
    recordPartitions: createRecordPartitions(url, reader),
    // Autovacuum makes the room of deleted rows that of new ones.
    releaseFreeSpace: async () => false,
    refuseDamaged: () => {},
    integrityErrors: () => findIntegrityErrors(url),
    tableSizes: () => tableSizes(url),
    close,
  };
}

/** A write outside of `transact` would bump no revision, so other processes would not notice it. */
const READING = { default_transaction_read_only: 'on' };
/**
 * Pages and counts end at a bound, which a sequential scan reaches late or never where rows of other accounts come first:
 * the planner expects them evenly spread.
 */
const REPORTING = {
  ...READING,
  statement_timeout: String(REPORT_TIMEOUT_MS),
  enable_seqscan: 'off',
};

/**
 * For serializable transactions the server tracks index reads by row, but a sequential scan as a read of the whole
 * table, which conflicts with every write to it. Without these settings it would scan small tables, and would lock rows
 * that it finds by a bitmap in another order than their index has.
 */
const WRITING = { enable_seqscan: 'off', enable_bitmapscan: 'off', jit: 'off' };

/** Retries after conflicts and lost connections; attempts are counted from 1. */
async function retry<T>(attempt: (count: number) => Promise<T>): Promise<T> {
  const giveUpAt = performance.now() + RETRY_FOR_MS;
  for (let count = 1; ; count++) {
    try {
      return await attempt(count);
    } catch (error) {
      const mayRetry = isConflict(error) || isLost(error) || isOutdated(error);
      if (!mayRetry && !isRefusal(error)) throw error;
      if (!mayRetry || performance.now() > giveUpAt) throw databaseUnavailable(error);
    }
    await sleep(Math.random() * MAX_PAUSE_MS);
  }
}

/** Has the promise in `running` until it is settled. */
async function tracked<T>(running: Set<Promise<unknown>>, promise: Promise<T>): Promise<T> {
  running.add(promise);
  try {
    return await promise;
  } finally {
    running.delete(promise);
  }
}

async function sumOfCounters(reader: Kysely<Tables>, serverClock: ServerClock): Promise<number> {
  const serverMs = sql<number>`cast(extract(epoch from clock_timestamp()) * 1000 as bigint)`;
  const { mark } = await serverClock.compare(() =>
    reader
      .selectFrom('revision')
      .select((eb) => eb.fn.sum<number>('value').as('mark'))
      .select(serverMs.as('server_ms'))
      .executeTakeFirstOrThrow(),
  );
  return mark;
}

/** Other encodings can't store every text. */
async function requireUnicode(reader: Kysely<Tables>): Promise<void> {
  const { rows } = await sql<{ name: string }>`select current_setting('server_encoding') as name`.execute(
    reader,
  );
  const encoding = rows[0]?.name;
  if (encoding !== 'UTF8') throw new Error(`its encoding must be UTF8, not ${encoding}`);
}
