import type { Transaction } from 'kysely';
import { compareText } from '../../base/text.js';
import type { Engine } from '../engine/engine.js';
import { preparedUpdate } from '../query/prepared.js';
import { REVISION_SCOPES, type RevisionScope, type Tables } from '../schema/schema.js';
import { createPoller } from './poller.js';

/** How often changes of other processes are polled. Every change must take effect in every process within a second. */
const POLL_INTERVAL_MS = 500;

/** After this long every process has noticed a change, unless its machine is overloaded. */
export const NOTICED_AFTER_MS = 1.5 * POLL_INTERVAL_MS;

/** How long caches stay in use while the database can't be reached: long enough for a restart or a failover. */
const STALE_AFTER_MS = 60_000;

/** What a write changes of cached state: anything of a scope, or only what `detail` names, in the scope's own words. */
export type RevisionChange = RevisionScope | { readonly scope: RevisionScope; readonly detail: string };

/** `detail` is null when anything of the scope may have changed. */
export type ChangeListener = (detail: string | null) => void;

/** Revisions after a write. */
type BumpedCounters = readonly {
  readonly scope: RevisionScope;
  readonly value: number;
  readonly detail?: string | undefined;
}[];

/** Revision counters of cached state, and their listeners. */
export interface Revisions {
  bump(tx: Transaction<Tables>, changes: Iterable<RevisionChange>): Promise<BumpedCounters>;
  /** Calls the listeners of this process; for use after the commit. */
  announce(bumped: BumpedCounters): void;
  subscribe(scope: RevisionScope, listener: ChangeListener): () => void;
  stop(): void;
}

/**
 * Follows the revision counters of a migrated database, bumped here or in another process. While they can't be read, no
 * listener is called for `staleAfterMs`, then all of them once, and all of them again once they can be read.
 */
export async function watchRevisions(engine: Engine, staleAfterMs = STALE_AFTER_MS): Promise<Revisions> {
  const listeners = new Map<RevisionScope, Set<ChangeListener>>();
  const seen = new Map<RevisionScope, number>();
  let version = await engine.dataVersion();
  for (const { scope, value } of await readAll(engine)) seen.set(scope, value);

  const notify = (scope: RevisionScope, detail: string | null): void => {
    for (const listener of listeners.get(scope) ?? []) listener(detail);
  };
  const notifyAll = (): void => {
    for (const scope of REVISION_SCOPES) notify(scope, null);
  };
  const announce = (values: BumpedCounters): void => {
    for (const { scope, value, detail } of values) {
      const last = seen.get(scope) ?? -1;
      if (value <= last) continue;
      seen.set(scope, value);
      // Of changes in between nothing is known.
      notify(scope, value === last + 1 ? (detail ?? null) : null);
    }
  };
  const check = async (): Promise<void> => {
    const current = await engine.dataVersion();
    if (current === version) return;
    announce(await readAll(engine));
    version = current;
  };
  // In doubt everything counts as changed: dropping a cache in vain costs little.
  const poll = createPoller(check, notifyAll, staleAfterMs);
  const timer = setInterval(poll, POLL_INTERVAL_MS).unref();
  engine.onBump((signal) => {
    announce(bumpedBy(signal));
    poll();
  });

  return {
    bump: createBump(engine),
    announce,
    subscribe(scope, listener) {
      const own: ChangeListener = (detail) => listener(detail);
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
  return async (tx, changes) => {
    const details = new Map(
      Array.from(changes, (one) => (typeof one === 'string' ? [one, undefined] : [one.scope, one.detail])),
    );
    const bumped: BumpedCounters[number][] = [];
    // Always in the same order: the row locks last until the commit, and another order could deadlock.
    for (const [scope, detail] of [...details].sort(([a], [b]) => compareText(a, b))) {
      for (const counter of await increment({ scope }, tx)) bumped.push({ ...counter, detail });
    }
    if (bumped.length > 0) await engine.signalBump(tx, signalOf(bumped));
    return bumped;
  };
}

/** PostgreSQL takes fewer than 8,000 bytes. */
const MAX_SIGNAL_BYTES = 7_000;

/** Empty where receivers have to read what was bumped. */
function signalOf(bumped: BumpedCounters): string {
  const signal = JSON.stringify(bumped);
  return Buffer.byteLength(signal) > MAX_SIGNAL_BYTES ? '' : signal;
}

/** Previous versions send an empty signal. */
function bumpedBy(signal: string): BumpedCounters {
  return signal === '' ? [] : (JSON.parse(signal) as BumpedCounters);
}

function readAll(engine: Engine): Promise<BumpedCounters> {
  return engine.reader.selectFrom('revision').select(['scope', 'value']).execute();
}
