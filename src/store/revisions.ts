import type { Transaction } from 'kysely';
import type { Engine } from './engine/engine.js';
import { preparedUpdate } from './engine/prepared.js';
import { createPoller } from './poller.js';
import { REVISION_SCOPES, type RevisionScope, type Tables } from './schema.js';

/** How often another process's changes are looked for. Changes must be effective everywhere within a second. */
const POLL_INTERVAL_MS = 500;

/**
 * How long what is kept in memory may be used while nobody can tell whether it still holds: the database is away, or
 * out of reach. Long enough for a restart or a failover.
 */
const STALE_AFTER_MS = 60_000;

/** Where counters stand after a write. */
type BumpedCounters = readonly { readonly scope: RevisionScope; readonly value: number }[];

/** The counters of cached state, and who wants to hear of them. */
export interface Revisions {
  /** Moves the counters within the transaction. */
  bump(tx: Transaction<Tables>, scopes: Iterable<RevisionScope>): Promise<BumpedCounters>;
  /** Tells this process's listeners of counters whose transaction is committed. */
  announce(applyDelta: BumpedCounters): void;
  subscribe(scope: RevisionScope, listener: () => void): () => void;
  stop(): void;
}

/**
 * Watches the counters of a migrated database, own changes and other processes'. While they can't be read, listeners
 * hear nothing for `staleAfterMs` and then, once, of every scope; and again of every scope as soon as they can be.
 */
export async function watchRevisions(engine: Engine, staleAfterMs = STALE_AFTER_MS): Promise<Revisions> {
  const listeners = new Map<RevisionScope, Set<() => void>>();
  const seen = new Map<RevisionScope, number>();
  let mark = await engine.changeMark();
  for (const { scope, value } of await readAll(engine)) seen.set(scope, value);

  const tell = (scope: RevisionScope): void => {
    for (const listener of listeners.get(scope) ?? []) listener();
  };
  const announce = (values: BumpedCounters): void => {
    for (const { scope, value } of values) {
      if (value <= (seen.get(scope) ?? -1)) continue;
      seen.set(scope, value);
      tell(scope);
    }
  };
  const look = async (): Promise<void> => {
    const current = await engine.changeMark();
    if (current === mark) return;
    announce(await readAll(engine));
    mark = current;
  };
  // What cannot be known counts as changed: a cache that is dropped in vain costs little.
  const lookAgain = createPoller(look, () => REVISION_SCOPES.forEach(tell), staleAfterMs);
  const timer = setInterval(lookAgain, POLL_INTERVAL_MS).unref();
  engine.onBump(lookAgain);

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
    const applyDelta: BumpedCounters[number][] = [];
    // Always in the same order, since whoever moves several of them holds each until the end.
    for (const scope of [...scopes].sort()) applyDelta.push(...(await increment({ scope }, tx)));
    if (applyDelta.length > 0) await engine.signalBump(tx);
    return applyDelta;
  };
}

function readAll(engine: Engine): Promise<BumpedCounters> {
  return engine.reader.selectFrom('revision').select(['scope', 'value']).execute();
}
