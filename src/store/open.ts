import { systemClock } from '../base/clock.js';
import type { Database } from './database/database.js';
import type { Engine } from './engine/engine.js';
import { backupSqlite } from './engine/sqlite/backup.js';
import { lockSqlite, openSqlite, type Synchronous, sqliteExists } from './engine/sqlite/engine.js';
import type { InstanceLock } from './engine/sqlite/instance-lock.js';
import { asUnusableSqlite } from './engine/sqlite/unusable.js';
import { appliedMigrations, migrate } from './migrations/migrate.js';
import type { Migration } from './migrations/migration.js';

export { wordsOfSqlite } from './engine/sqlite/connection/errors.js';
export type { InstanceLock } from './engine/sqlite/instance-lock.js';
export { damageOf } from './engine/sqlite/unusable.js';
export { DatabaseUnusable } from './engine/unavailable.js';

import { watchRevisions } from './database/revisions.js';
import { MIGRATIONS } from './migrations/index.js';

export interface OpenOptions {
  /** Default NORMAL. */
  readonly synchronous?: Synchronous;
  /** Default `MIGRATIONS`; tests pass others, and nothing but them is applied. */
  readonly migrations?: readonly Migration[];
  /** How long caches stay in use while the database is away; see `watchRevisions`. */
  readonly staleAfterMs?: number;
  /** Opens a damaged database as far as possible, and lets statements take as long as they take, so that all can be examined. */
  readonly forExamination?: boolean;
  /** What `lockInstance` gave; the database releases it when it is closed, or can't be opened. */
  readonly lock?: InstanceLock | undefined;
  /** Where sessions are a client's own, when a pooler in transaction mode is behind the URL; PostgreSQL only. */
  readonly directUrl?: string | null;
}

interface EngineKind {
  /** Whether the database exists; always true for engines that do not create databases. */
  exists(url: string): boolean;
  open(url: string, options: OpenOptions): Promise<Engine>;
  /** Undefined when several processes can serve from one database. */
  lock(url: string): InstanceLock | undefined;
  /** See `asUnusableDatabase`. */
  unusable(error: unknown, url: string): Promise<unknown>;
}

const POSTGRES: EngineKind = {
  exists: () => true,
  // Loaded by those who use it: the driver takes a good part of the time of a start.
  open: async (url, options) => (await import('./engine/postgres/engine.js')).openPostgres(url, options),
  lock: () => undefined,
  unusable: async (error, url) =>
    (await import('./engine/postgres/unusable.js')).asUnusablePostgres(error, url),
};

/** Engines by the scheme of the database URL. */
const ENGINES: Readonly<Record<string, EngineKind>> = {
  sqlite: {
    exists: (url) => sqliteExists(pathOf(url)),
    open: (url, options) => openSqlite(pathOf(url), options),
    lock: (url) => lockSqlite(pathOf(url)),
    unusable: async (error, url) => asUnusableSqlite(error, pathOf(url)),
  },
  postgres: POSTGRES,
  postgresql: POSTGRES,
};

/**
 * Opens the database at the URL and migrates it: `sqlite:PATH` (folders are created), `sqlite::memory:` for a private
 * database that is deleted when it is closed, or `postgres://USER:PASSWORD@HOST/DATABASE` for an existing one. Throws
 * an Error when the URL is not valid or the database is more than one version ahead, and DatabaseUnusable when it can't
 * be reached or is damaged.
 */
export async function openDatabase(url: string, options: OpenOptions = {}): Promise<Database> {
  const engine = await kindOf(url)
    .open(url, options)
    .catch((error) => {
      options.lock?.release();
      throw error;
    });
  try {
    if (options.forExamination !== true) engine.refuseDamaged();
    await migrate(engine, options.migrations ?? MIGRATIONS);
    if (options.migrations === undefined) await engine.recordPartitions?.prepareNew(systemClock.now());
    return await assemble(engine, options);
  } catch (error) {
    await engine.close();
    throw await asUnusableDatabase(error, url);
  }
}

/**
 * DatabaseUnusable when the error comes from damage of the database, or is PostgreSQL's own, which an operator should not
 * have to read; any other error unchanged.
 */
export async function asUnusableDatabase(error: unknown, url: string): Promise<unknown> {
  return kindOf(url).unusable(error, url);
}

/** Opens the database without migrating it. Throws as `openDatabase` does. */
export async function openEngine(url: string, options: OpenOptions = {}): Promise<Engine> {
  return kindOf(url).open(url, options);
}

/**
 * Locks the database for this process when the engine supports only one; undefined when it supports several. Throws
 * DatabaseUnusable when another process holds the lock.
 */
export function lockInstance(url: string): InstanceLock | undefined {
  return kindOf(url).lock(url);
}

export interface DatabaseState {
  readonly exists: boolean;
  /** Migrations still to apply, in order; all of them when there is no database yet. */
  readonly pending: readonly string[];
  /** Applied migrations that this version does not know: a newer version has written the database. */
  readonly foreign: readonly string[];
}

/** Neither creates the database nor migrates it. Throws as `openDatabase` does. */
export async function databaseState(url: string, options: OpenOptions = {}): Promise<DatabaseState> {
  const kind = kindOf(url);
  const ours = MIGRATIONS.map((migration) => migration.name);
  if (!kind.exists(url)) return { exists: false, pending: ours, foreign: [] };
  const engine = await kind.open(url, options);
  try {
    const applied = await appliedMigrations(engine);
    return {
      exists: true,
      pending: ours.filter((name) => !applied.has(name)),
      foreign: [...applied].filter((name) => !ours.includes(name)),
    };
  } catch (error) {
    throw await asUnusableDatabase(error, url);
  } finally {
    await engine.close();
  }
}

/** Copies the SQLite database at the URL to a new file; see `backupSqlite`. */
export function backupDatabase(url: string, file: string): Promise<void> {
  return backupSqlite(pathOf(url), file);
}

/** The URL may contain a password, so the error shows only its scheme. */
function kindOf(url: string): EngineKind {
  const scheme = /^([a-z][a-z0-9+.-]*):./.exec(url)?.[1] ?? '';
  const kind = Object.hasOwn(ENGINES, scheme) ? ENGINES[scheme] : undefined;
  if (kind !== undefined) return kind;
  const known = Object.keys(ENGINES).map((name) => `${name}:`);
  throw new Error(`database URL must start with ${known.join(' or ')} and name a database, not "${scheme}:"`);
}

function pathOf(url: string): string {
  return url.slice(url.indexOf(':') + 1);
}

async function assemble(engine: Engine, { staleAfterMs }: OpenOptions): Promise<Database> {
  const revisions = await watchRevisions(engine, staleAfterMs);
  return {
    query: engine.reader,
    lists: (accountId) => engine.lists.of(accountId),
    reports: (accountId) => engine.reports.of(accountId),
    async transact(changes, work) {
      const { result, bumped } = await engine.transact(async (tx) => {
        const result = await work(tx);
        return { result, bumped: await revisions.bump(tx, changes) };
      });
      revisions.announce(bumped);
      return result;
    },
    transactWithLocks: (names, work) => engine.transactWithLocks(names, work),
    writeOptimistically: (names, decided) => engine.writeOptimistically(names, decided),
    exclusive: engine.exclusive,
    corrected: (clock) => engine.corrected(clock),
    withExclusiveLock: (work) => engine.withExclusiveLock(() => work()),
    leaseId: engine.leaseId,
    lostLeases: (leaseIds) => engine.lostLeases(leaseIds),
    rateLimiter: (perMinute) => engine.rateLimiter(perMinute),
    ping: () => engine.ping(),
    recordPartitions: engine.recordPartitions,
    releaseFreeSpace: () => engine.releaseFreeSpace(),
    integrityErrors: () => engine.integrityErrors(),
    tableSizes: () => engine.tableSizes(),
    onChange: (scope, listener) => revisions.subscribe(scope, listener),
    async close() {
      revisions.stop();
      await engine.close();
    },
  };
}
