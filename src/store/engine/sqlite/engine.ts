import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { createRateLimiter } from '../../../identity/rate-limit.js';
import type { Engine, Work } from '../engine.js';
import { FairReads } from '../fair-reads.js';
import { createProcessLease } from '../process-lease.js';
import { StatementDriver } from '../statement-driver.js';
import { Connection } from './connection/connection.js';
import { asUnavailable, isBusy } from './connection/errors.js';
import { ensurePrivate } from './connection/private-files.js';
import { SQLITE_TYPES, sqliteKysely } from './dialect.js';
import { DirectReads, SqliteWriteDriver } from './driver.js';
import { ExclusiveSqlite } from './exclusive.js';
import { releaseFreeSpace } from './free-space.js';
import { type InstanceLock, lockFile } from './instance-lock.js';
import { findIntegrityErrors, refuseDamaged } from './integrity.js';
import { whileQuiet } from './quiet.js';
import { tableSizes } from './table-sizes.js';
import { type CheckpointDependencies, Checkpoints } from './threads/checkpoints.js';
import { ReportThread } from './threads/report-thread.js';
import { asUnusableSqlite } from './unusable.js';
import { WriteCheck } from './write-check.js';

/**
 * When a commit counts as written. NORMAL: when the operating system has it. Killing the process (also with SIGKILL)
 * loses nothing; a power cut may lose the last commits, but never corrupts the file. FULL: when the disk has it, at the
 * price of one flush per commit.
 */
export type Synchronous = 'NORMAL' | 'FULL';

interface SqliteOptions {
  readonly synchronous?: Synchronous;
  /** The instance lock of the file, where the process has it already; `close` releases it. */
  readonly lock?: InstanceLock | undefined;
}

/** The path of a private database that is deleted when it is closed. */
const MEMORY = ':memory:';

/** SQLite's default. */
const DEFAULT_CHECKPOINT_PAGES = 1_000;

/** How long a statement waits for a lock of another process. */
const BUSY_TIMEOUT_MS = 5000;

/**
 * How many pages each connection for reads keeps. With better-sqlite3's 16 MB nothing is read faster: pages that find
 * no room are in the operating system's cache.
 */
const READ_CACHE_KIB = 4_096;

/**
 * Opens a SQLite file in WAL mode with a connection for writes and one for reads, so that reads never wait for writes,
 * and two on threads for long reads. `:memory:` is a file in the temporary folder, removed on close, since connections
 * can't share a database in memory. Throws DatabaseUnusable when the file is no database.
 */
export async function openSqlite(
  path: string,
  { synchronous = 'NORMAL', lock }: SqliteOptions = {},
): Promise<Engine> {
  const temporary = path === MEMORY ? mkdtempSync(join(tmpdir(), 'byway-')) : undefined;
  const file = temporary === undefined ? path : join(temporary, 'byway.db');
  ensurePrivate(file);
  const writing = await connect(file, synchronous);
  const reading = await connect(file, synchronous);
  reading.exec('PRAGMA query_only = ON');
  reading.exec(`PRAGMA cache_size = -${READ_CACHE_KIB}`);
  const reads = new DirectReads(reading);
  const reader = sqliteKysely(new StatementDriver(reads));
  const newThread = () =>
    new ReportThread(file, { busyTimeoutMs: BUSY_TIMEOUT_MS, cacheKib: READ_CACHE_KIB });
  const threads = [newThread(), newThread()] as const;
  const readsOn = (thread: ReportThread) =>
    new FairReads({ connection: thread, atOnce: 1, builderOn: sqliteKysely });
  const writeCheck = new WriteCheck(file);
  const writingDriver = new SqliteWriteDriver(writing, BUSY_TIMEOUT_MS, () => {
    writeCheck.wrote();
    checkpoints.committed();
  });
  const orUnavailable = <T>(outcome: Promise<T>): Promise<T> =>
    outcome.catch((error) => {
      const refusal = asUnavailable(error);
      if (refusal !== error) writeCheck.failed();
      throw refusal;
    });
  const checkpoints = checkpointsOf(writing, file, (maxWaitMs, work) =>
    whileQuiet(writingDriver, threads, maxWaitMs, work),
  );
  const writer = sqliteKysely(writingDriver);
  // Write transactions run one at a time, so there are no conflicts and nothing is retried.
  const transact = <T>(work: Work<T>): Promise<T> => orUnavailable(writer.transaction().execute(work));
  const lease = createProcessLease();
  const exclusive = new ExclusiveSqlite({ writing, reads, compiler: reader }, lock, () => lockSqlite(path));
  return {
    reader,
    lists: readsOn(threads[0]),
    reports: readsOn(threads[1]),
    columnTypes: SQLITE_TYPES,
    transact,
    transactWithLocks: (_names, work) =>
      transact(async (tx) => {
        const { result, writes } = await work(tx);
        writingDriver.write(writes);
        return result;
      }),
    writeOptimistically: (_names, decided) => orUnavailable(writingDriver.writeUnless(decided)),
    exclusive,
    withExclusiveLock: transact,
    // The file is on the machine of the process.
    corrected: (clock) => clock,
    dataVersion: async () => exclusive.dataVersion(),
    signalBump: async () => {},
    onBump: () => {},
    leaseId: lease.id,
    // All processes of a file run on one machine, so the leases of other machines are lost.
    lostLeases: async (ids) => new Set(ids.filter((id) => lease.statusOf(id) !== 'held')),
    // One process serves from a file, so the limits need not be shared.
    rateLimiter: createRateLimiter,
    ping: async () => {
      await sql`select 1 from sqlite_schema limit 1`.execute(reader);
      await orUnavailable(writeCheck.check(writingDriver));
    },
    recordPartitions: null,
    releaseFreeSpace: () => releaseFreeSpace(writing, writingDriver),
    refuseDamaged: () => refuseDamaged(reading, file),
    integrityErrors: async () => findIntegrityErrors(reading),
    tableSizes: async () => tableSizes(reading),
    async close() {
      lease.end();
      // The last connection to close checkpoints the log, which a read-only one can't do.
      await Promise.all(threads.map((thread) => thread.close()));
      await checkpoints.close();
      await writer.destroy();
      // Of the writer's for the case that it has never been used: Kysely does not close it then.
      for (const connection of [writing, reading]) connection.close();
      exclusive.release();
      if (temporary !== undefined) rmSync(temporary, { recursive: true, force: true });
    },
  };
}

/** Replaces SQLite's own checkpoints, which run within a commit; they are switched on again when ours fail. */
function checkpointsOf(
  connection: Connection,
  file: string,
  whileQuiet: CheckpointDependencies['whileQuiet'],
): Checkpoints {
  connection.exec('PRAGMA wal_autocheckpoint = 0');
  return new Checkpoints({
    file,
    whileQuiet,
    onFailure: () => connection.exec(`PRAGMA wal_autocheckpoint = ${DEFAULT_CHECKPOINT_PAGES}`),
  });
}

/** False for `:memory:`. */
export function sqliteExists(path: string): boolean {
  return path !== MEMORY && existsSync(path);
}

/** See `lockFile`; undefined for `:memory:`, which no other process can open. */
export function lockSqlite(path: string): InstanceLock | undefined {
  return path === MEMORY ? undefined : lockFile(path);
}

async function connect(file: string, synchronous: Synchronous): Promise<Connection> {
  const connection = new Connection(file, BUSY_TIMEOUT_MS);
  try {
    if (isNew(connection)) connection.exec('PRAGMA auto_vacuum = INCREMENTAL');
    await switchToWal(connection);
    connection.exec('PRAGMA foreign_keys = ON');
    connection.exec(`PRAGMA synchronous = ${synchronous}`);
    return connection;
  } catch (error) {
    connection.close();
    throw asUnusableSqlite(error, file);
  }
}

/** Only a file without pages can be told to keep track of those that become free; to another this would be a write. */
function isNew(connection: Connection): boolean {
  return connection.statement('PRAGMA page_count').all([])[0]?.page_count === 0;
}

/** When two processes switch a new file at once, SQLite may answer "busy" without waiting for the busy timeout. */
async function switchToWal(connection: Connection): Promise<void> {
  const giveUpAt = performance.now() + BUSY_TIMEOUT_MS;
  for (;;) {
    try {
      connection.exec('PRAGMA journal_mode = WAL');
      return;
    } catch (error) {
      if (!isBusy(error) || performance.now() > giveUpAt) throw error;
      await sleep(10);
    }
  }
}
