import type { Database } from './database.js';
import type { Engine } from './engine/engine.js';
import { asUnusable } from './engine/sqlite/damage.js';
import type { InstanceLock } from './engine/sqlite/instance-lock.js';
import { lockSqlite, openSqlite, type Synchronous, sqliteExists } from './engine/sqlite/sqlite.js';
import { appliedMigrations, migrate } from './migrate.js';

export { damageOf } from './engine/sqlite/damage.js';
export { DatabaseUnusable } from './engine/unavailable.js';

import { MIGRATIONS, type Migration } from './migrations/index.js';
import { watchRevisions } from './revisions.js';

/** How a database is opened. */
export interface OpenOptions {
  /** When a commit counts as written; see `Synchronous`. Default NORMAL. */
  readonly synchronous?: Synchronous;
  /** What brings the schema up to date; all of ours unless a test says otherwise. */
  readonly migrations?: readonly Migration[];
  /** How old what is kept in memory may become while the database is away; see `watchRevisions`. */
  readonly staleAfterMs?: number;
  /** Whether it is opened although it is damaged, as far as that is possible: to look for damage. */
  readonly mayBeDamaged?: boolean;
}

/** One kind of database. */
interface EngineKind {
  /** Whether it is there already; true where it can only be opened when it is. */
  exists(url: string): boolean;
  open(url: string, options: OpenOptions): Promise<Engine>;
  /** Undefined where several processes can serve. */
  lock(url: string): InstanceLock | undefined;
}

const POSTGRES: EngineKind = {
  exists: () => true,
  // Loaded by those who use it: the driver takes a good part of the time of a start.
  open: async (url) => (await import('./engine/postgres/postgres.js')).openPostgres(url),
  lock: () => undefined,
};

/** How a database URL begins, and what stands behind it. A further engine is one more entry. */
const ENGINES: Readonly<Record<string, EngineKind>> = {
  sqlite: {
    exists: (url) => sqliteExists(pathOf(url)),
    open: (url, options) => openSqlite(pathOf(url), options.synchronous ?? 'NORMAL'),
    lock: (url) => lockSqlite(pathOf(url)),
  },
  postgres: POSTGRES,
  postgresql: POSTGRES,
};

/**
 * Opens the database behind the URL and brings its schema up to date: `sqlite:PATH` (folders are created), or
 * `sqlite::memory:` for a private database that is gone once it is closed, or `postgres://USER:PASSWORD@HOST/DATABASE`
 * for one that is there already. Throws an Error that names the fault when the URL means nothing or the database is
 * more than one version ahead, DatabaseUnusable when it can't be reached or is seen to be damaged; nothing stays open
 * then.
 */
export async function openDatabase(url: string, options: OpenOptions = {}): Promise<Database> {
  const engine = await kindOf(url).open(url, options);
  try {
    if (options.mayBeDamaged !== true) engine.refuseDamaged();
    await migrate(engine, options.migrations ?? MIGRATIONS);
    return await assemble(engine, options);
  } catch (error) {
    await engine.close();
    throw asUnusableDatabase(error, url);
  }
}

/** DatabaseUnusable where the database behind the URL is damaged and that is why; any other error as it is. */
export function asUnusableDatabase(error: unknown, url: string): unknown {
  return asUnusable(error, pathOf(url));
}

/** Opens the database behind the URL as it is. Throws as `openDatabase` does. */
export async function openEngine(url: string): Promise<Engine> {
  return kindOf(url).open(url, {});
}

/**
 * Keeps other processes from serving from the database, where only one can; undefined where several can. Throws
 * DatabaseUnusable where another one serves from it.
 */
export function lockInstance(url: string): InstanceLock | undefined {
  return kindOf(url).lock(url);
}

/** How far the database behind a URL is. */
export interface DatabaseState {
  readonly exists: boolean;
  /** Migrations that it has not had, in order; all of them when there is no database yet. */
  readonly pending: readonly string[];
  /** Migrations that it has had and that are not ours: a newer version has written it. */
  readonly foreign: readonly string[];
}

/** Looks at the database behind the URL; neither makes it nor migrates it. Throws as `openDatabase` does. */
export async function databaseState(url: string): Promise<DatabaseState> {
  const kind = kindOf(url);
  const ours = MIGRATIONS.map((migration) => migration.name);
  if (!kind.exists(url)) return { exists: false, pending: ours, foreign: [] };
  const engine = await kind.open(url, {});
  try {
    const applied = await appliedMigrations(engine);
    return {
      exists: true,
      pending: ours.filter((name) => !applied.has(name)),
      foreign: [...applied].filter((name) => !ours.includes(name)),
    };
  } catch (error) {
    throw asUnusableDatabase(error, url);
  } finally {
    await engine.close();
  }
}

/** The URL may hold a password, so the error shows its scheme alone. */
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
    lists: engine.lists,
    reports: engine.reports,
    async transact(scopes, work) {
      const { result, applyDelta } = await engine.transact(async (tx) => {
        const result = await work(tx);
        return { result, applyDelta: await revisions.move(tx, scopes) };
      });
      revisions.announce(applyDelta);
      return result;
    },
    transactWithLocks: (names, work) => engine.transactWithLocks(names, work),
    writeOptimistically: (names, decided) => engine.writeOptimistically(names, decided),
    withExclusiveLock: (work) => engine.withExclusiveLock(() => work()),
    holder: engine.holder,
    lostLeases: (holders) => engine.lostLeases(holders),
    rateLimiter: (perMinute) => engine.rateLimiter(perMinute),
    ping: () => engine.ping(),
    integrityErrors: () => engine.integrityErrors(),
    onChange: (scope, listener) => revisions.subscribe(scope, listener),
    async close() {
      revisions.stop();
      await engine.close();
    },
  };
}
