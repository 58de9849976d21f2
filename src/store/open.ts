import type { Database } from './database.js';
import type { Engine } from './engine/engine.js';
import { openSqlite, type Synchronous } from './engine/sqlite.js';
import { migrate } from './migrate.js';
import { MIGRATIONS, type Migration } from './migrations/index.js';
import { watchRevisions } from './revisions.js';

/** How a database is opened. */
export interface OpenOptions {
  /** When a commit counts as written; see `Synchronous`. Default NORMAL. */
  readonly synchronous?: Synchronous;
  /** What brings the schema up to date; all of ours unless a test says otherwise. */
  readonly migrations?: readonly Migration[];
}

/** How a database URL begins, and what opens the rest of it. A further engine is one more entry. */
const ENGINES: Readonly<Record<string, (rest: string, options: OpenOptions) => Promise<Engine>>> = {
  sqlite: (path, options) => openSqlite(path, options.synchronous ?? 'NORMAL'),
};

/**
 * Opens the database behind the URL and brings its schema up to date: `sqlite:PATH` (folders are created), or
 * `sqlite::memory:` for a private database that is gone once it is closed. Throws an Error that names the fault
 * when the URL means nothing or the database was written by a newer version; nothing stays open then.
 */
export async function openDatabase(url: string, options: OpenOptions = {}): Promise<Database> {
  const engine = await engineFor(url)(url.slice(url.indexOf(':') + 1), options);
  try {
    await migrate(engine, options.migrations ?? MIGRATIONS);
    return await assemble(engine);
  } catch (error) {
    await engine.close();
    throw error;
  }
}

/** The URL may hold a password, so the error shows its scheme alone. */
function engineFor(url: string): (rest: string, options: OpenOptions) => Promise<Engine> {
  const scheme = /^([a-z][a-z0-9+.-]*):./.exec(url)?.[1] ?? '';
  const open = Object.hasOwn(ENGINES, scheme) ? ENGINES[scheme] : undefined;
  if (open !== undefined) return open;
  const known = Object.keys(ENGINES).map((name) => `${name}:`);
  throw new Error(`database URL must start with ${known.join(' or ')} and name a database, not "${scheme}:"`);
}

async function assemble(engine: Engine): Promise<Database> {
  const revisions = await watchRevisions(engine);
  return {
    query: engine.reader,
    async transact(scopes, work) {
      const { result, moved } = await engine.writer.transaction().execute(async (tx) => {
        const result = await work(tx);
        return { result, moved: await revisions.move(tx, scopes) };
      });
      revisions.announce(moved);
      return result;
    },
    onChange: (scope, listener) => revisions.subscribe(scope, listener),
    async close() {
      revisions.stop();
      await engine.close();
    },
  };
}
