import { setTimeout as sleep } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import { Problem } from '../../../base/problem.js';
import type { Tables } from '../../schema/schema.js';
import type { Engine } from '../engine.js';
import { FairReads } from '../fair-reads.js';
import { createProcessLease } from '../process-lease.js';
import { StatementDriver } from '../statement-driver.js';
import { DatabaseUnusable } from '../unavailable.js';
import type { PostgresConnections } from './connection/connections.js';
import { ConnectionLost, isConflict, isLost, isOutdated, isRefusal } from './connection/errors.js';
import { POSTGRES_TYPES, postgresKysely } from './dialect.js';
import { AnyConnection, PostgresWriteDriver } from './driver.js';
import { findIntegrityErrors } from './integrity.js';
import { leaseStatement, PostgresLeases } from './leases.js';
import { BUMP_CHANNEL, PostgresListener } from './listener.js';
import { transactLocked } from './locked-transaction.js';
import { unlessWritten, writeWithLocks } from './optimistic-write.js';
import { createRecordPartitions } from './partitions/record-partitions.js';
import { createPostgresRateLimiter } from './rate-limit.js';
import { ServerClock } from './server-clock.js';
import { openSessions, REPORTING_CONNECTIONS, requireSameDatabase } from './sessions.js';
import { StatementNames } from './statements.js';
import { tableSizes } from './table-sizes.js';
import { WriteCheck } from './write-check.js';

export interface PostgresOptions {
  /** Where sessions are a client's own, when those of the URL are not (a pooler in transaction mode). */
  readonly directUrl?: string | null;
  readonly forExamination?: boolean;
}

/** How long a transaction is retried after conflicts; as long as a writer on SQLite waits for others. */
const RETRY_FOR_MS = 5_000;

/** Attempts concurrent with other writers; later ones block them, so that the transaction succeeds. */
const PARALLEL_ATTEMPTS = 3;

/**
 * The longest random pause before a retry: after a conflict about one transaction, after a loss twice as long each time, up to
 * the second of these.
 */
const MAX_PAUSE_MS = 10;
const MAX_LOST_PAUSE_MS = 200;

/**
 * All writers hold a weak lock on the table of revisions, which does not conflict with itself. A transaction that had
 * too many conflicts takes one that excludes the other writers. A serializable transaction takes its snapshot after it
 * has locked a table, so it sees everything that it has waited for.
 */
const CONCURRENT = 'begin isolation level serializable; lock table revision in row exclusive mode';
const BLOCKING = 'begin isolation level serializable; lock table revision in share row exclusive mode';

/** For what reads nothing. */
const PLAIN = 'begin';

/** The lock number is arbitrary. The statements after it see everything that was committed under the lock before. */
const EXCLUSIVE = 'begin isolation level read committed; select pg_advisory_xact_lock(7019305528311467)';

/**
 * Opens a PostgreSQL database that many processes share. Transactions are serializable; those that the database rolls
 * back because of a conflict are retried here. Transactions with locks wait for each other instead. Throws
 * DatabaseUnusable when the database can't be reached.
 */
export async function openPostgres(
  url: string,
  { directUrl = null, forExamination = false }: PostgresOptions = {},
): Promise<Engine> {
  const self = createProcessLease();
  const lease = leaseStatement(self.id);
  const sessions = await openSessions({ url, directUrl, forExamination, lease });
  const { direct, writing } = sessions;
  const kyselyOn = (connections: PostgresConnections) =>
    postgresKysely(new StatementDriver(new AnyConnection(connections)));
  const reader = kyselyOn(sessions.reading);
  const holder = sessions.holding === sessions.reading ? reader : kyselyOn(sessions.holding);
  const reports = new FairReads({
    connection: new AnyConnection(sessions.reporting),
    atOnce: REPORTING_CONNECTIONS,
    builderOn: postgresKysely,
  });
  const counting = kyselyOn(writing);
  const names = new StatementNames(writing);
  const writer = (begin: string) => postgresKysely(new PostgresWriteDriver(writing, names, begin));
  const [concurrent, blocking, plain] = [writer(CONCURRENT), writer(BLOCKING), writer(PLAIN)];
  const { unlimited } = sessions;
  const exclusive = postgresKysely(
    new PostgresWriteDriver(unlimited, new StatementNames(unlimited), EXCLUSIVE),
  );
  const leases = new PostgresLeases(holder, self);
  const listener = new PostgresListener(direct, leases);
  const serverClock = new ServerClock();
  const writeCheck = new WriteCheck();
  const running = new Set<Promise<unknown>>();
  const retried = <T>(attempt: (count: number) => Promise<T>) =>
    tracked(running, retry(attempt, writing, writeCheck));
  const close = async () => {
    await Promise.allSettled(running);
    leases.end();
    await Promise.all([listener.stop(), sessions.close()]);
  };
  try {
    await requireUnicode(reader);
    if (holder !== reader) await requireSameDatabase(reader, holder);
  } catch (error) {
    await close();
    if (error instanceof DatabaseUnusable) throw error;
    const cause = error instanceof Problem ? error.cause : error;
    throw new DatabaseUnusable(cause instanceof ConnectionLost ? cause.message : direct.wordsOf(cause));
  }
  return {
    reader,
    lists: reports,
    reports,
    columnTypes: POSTGRES_TYPES,
    async transact(work) {
      const result = await retried((count) =>
        (count <= PARALLEL_ATTEMPTS ? concurrent : blocking).transaction().execute(work),
      );
      writeCheck.wrote();
      return result;
    },
    transactWithLocks: (on, work) => retried(() => transactLocked(writing, names, on, work)),
    async writeOptimistically(on, decided) {
      const isWritten = await retried((count) =>
        count === 1
          ? writeWithLocks(writing, names, on, decided)
          : transactLocked(writing, names, on, (db) => unlessWritten(db, decided)),
      );
      if (isWritten) {
        writeCheck.wrote();
        decided.onCommit();
      }
      return isWritten;
    },
    exclusive: null,
    withExclusiveLock(work, { mayRepeat } = { mayRepeat: false }) {
      const attempt = () => exclusive.transaction().execute(work);
      return mayRepeat ? retried(attempt) : tracked(running, attempt());
    },
    corrected: (clock) => serverClock.corrected(clock),
    dataVersion: () => sumOfCounters(holder, serverClock),
    signalBump: async (tx, signal) =>
      void (await sql`select pg_notify(${BUMP_CHANNEL}, ${signal})`.execute(tx)),
    onBump: (onSignal) => listener.start(onSignal),
    leaseId: leases.id,
    lostLeases: (leaseIds) => leases.lostLeases(leaseIds),
    rateLimiter: (perMinute) => createPostgresRateLimiter(counting, perMinute),
    ping: () =>
      writeCheck.check(counting, plain).catch((error) => Promise.reject(asUnavailable(error, writing))),
    recordPartitions: createRecordPartitions(direct, reader),
    // Autovacuum makes the room of deleted rows that of new ones.
    releaseFreeSpace: async () => false,
    refuseDamaged: () => {},
    integrityErrors: () => findIntegrityErrors(direct),
    tableSizes: () => tableSizes(direct),
    close,
  };
}

/** Retries after conflicts and lost connections; attempts are counted from 1. */
async function retry<T>(
  attempt: (count: number) => Promise<T>,
  connections: PostgresConnections,
  writeCheck: WriteCheck,
): Promise<T> {
  const giveUpAt = performance.now() + RETRY_FOR_MS;
  for (let count = 1; ; count++) {
    let isLoss = false;
    try {
      return await attempt(count);
    } catch (error) {
      if (!isConflict(error)) writeCheck.failed(error);
      const mayRetry = isConflict(error) || isLost(error) || isOutdated(error);
      if (!mayRetry && !isRefusal(error)) throw error;
      if (!mayRetry || performance.now() > giveUpAt) throw connections.unavailable(error);
      isLoss = isLost(error);
    }
    const longest = isLoss ? Math.min(MAX_PAUSE_MS * 2 ** count, MAX_LOST_PAUSE_MS) : MAX_PAUSE_MS;
    await sleep(Math.random() * longest);
  }
}

/** Problems are so already. */
function asUnavailable(error: unknown, connections: PostgresConnections): unknown {
  return error instanceof Problem ? error : connections.unavailable(error);
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
  const { version } = await serverClock.compare(() =>
    reader
      .selectFrom('revision')
      .select((eb) => eb.fn.sum<number>('value').as('version'))
      .select(serverMs.as('server_ms'))
      .executeTakeFirstOrThrow(),
  );
  return version;
}

/** Other encodings can't store every text. */
async function requireUnicode(reader: Kysely<Tables>): Promise<void> {
  const { rows } = await sql<{ name: string }>`select current_setting('server_encoding') as name`.execute(
    reader,
  );
  const encoding = rows[0]?.name;
  if (encoding !== 'UTF8')
    throw new DatabaseUnusable(`the encoding of the database must be UTF8, not ${encoding}`);
}
