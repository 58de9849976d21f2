import type { Transaction } from 'kysely';
import type { Engine } from './engine/engine.js';
import { preparedUpdate } from './engine/prepared.js';
import { createPoller } from './poller.js';
import { REVISION_SCOPES, type RevisionScope, type Tables } from './schema.js';

/** How often changes of other processes are polled. Every change must take effect in every process within a second. */
const POLL_INTERVAL_MS = 500;

/** How long caches stay in use while the database can't be reached: long enough for a restart or a failover. */
const STALE_AFTER_MS = 60_000;

/** Revisions after a write. */
type BumpedCounters = readonly { readonly scope: RevisionScope; readonly value: number }[];

/** Revision counters of cached state, and their listeners. */
export interface Revisions {
  bump(tx: Transaction<Tables>, scopes: Iterable<RevisionScope>): Promise<BumpedCounters>;
  /** Calls the listeners of this process; for use after the commit. */
  announce(bumped: BumpedCounters): void;
  subscribe(scope: RevisionScope, listener: () => void): () => void;
  stop(): void;
}

/**
 * Follows the revision counters of a migrated database, bumped here or in another process. While they can't be read, no
 * listener is called for `staleAfterMs`, then all of them once, and all of them again once they can be read.
 */
export async function watchRevisions(engine: Engine, staleAfterMs = STALE_AFTER_MS): Promise<Revisions> {
  const listeners = new Map<RevisionScope, Set<() => void>>();
  const seen = new Map<RevisionScope, number>();
  let mark = await engine.changeMark();
  for (const { scope, value } of await readAll(engine)) seen.set(scope, value);

  const notify = (scope: RevisionScope): void => {
    for (const listener of listeners.get(scope) ?? []) listener();
  };
  const announce = (values: BumpedCounters): void => {
    for (const { scope, value } of values) {
      if (value <= (seen.get(scope) ?? -1)) continue;
      seen.set(scope, value);
      notify(scope);
    }
  };
  const check = async (): Promise<void> => {
    const current = await engine.changeMark();
    if (current === mark) return;
    announce(await readAll(engine));
    mark = current;
  };
  // In doubt everything counts as changed: dropping a cache in vain costs little.
  const poll = createPoller(check, () => REVISION_SCOPES.forEach(notify), staleAfterMs);
  const timer = setInterval(poll, POLL_INTERVAL_MS).unref();
  engine.onBump(poll);

  return {
    bump: createBump(engine),
    announce,
    subscribe(scope, listener) {
      const own = () => listener();
      const subscribed = listeners.get(scope) ?? new Set();
      listeners.set(scope, subscribed.add(own));
      return () => void subscribed.delete(own);
    },
    stop: () => clearInterval(timer),
  };
}

function createBump(engine: Engine): Revisions['bump'] {
  const increment = preparedUpdate(engine.reader, (db, { scope }: { scope: RevisionScope }) =>
    db
      .updateTable('revision')
      .set((eb) => ({ value: eb('value', '+', 1) }))
      .where('scope', '=', scope)
      .returning(['scope', 'value'])
      .compile(),
  );
  return async (tx, scopes) => {
    const bumped: BumpedCounters[number][] = [];
    // Always in the same order: the row locks last until the commit, and another order could deadlock.
    for (const scope of [...scopes].sort()) bumped.push(...(await increment({ scope }, tx)));
    if (bumped.length > 0) await engine.signalBump(tx);
    return bumped;
  };
}

function readAll(engine: Engine): Promise<BumpedCounters> {
  return engine.reader.selectFrom('revision').select(['scope', 'value']).execute();
}
