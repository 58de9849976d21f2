import type { Transaction } from 'kysely';
import type { Database } from './database.js';
import type { RevisionScope, Tables } from './schema.js';

/**
 * What is written, and what it gives. It adds the scopes of what it changes to `moved`. It is run again when the
 * transaction that it stood in was lost through another one's fault.
 */
type Work<T> = (tx: Transaction<Tables>, moved: Set<RevisionScope>) => Promise<T>;

/** Writes; resolves to what the work gives, once that is committed. */
type GroupCommit = <T>(work: Work<T>) => Promise<T>;

/** Works in one transaction at most, so that no group holds the write lock for long. */
const GROUP_BOUND = 256;

interface Pending {
  /** Runs the work; what it returns settles its promise well. */
  readonly run: Work<() => void>;
  readonly reject: (error: unknown) => void;
}

/**
 * Writes in groups: what is asked for in the same turn of the event loop shares one transaction, since committing
 * costs more than most of what is committed. Each promise resolves after its own commit, exactly as if it had a
 * transaction to itself; a work that fails takes nobody with it. The counters of the group's scopes move once.
 */
export function groupCommit(database: Database): GroupCommit {
  const waiting: Pending[] = [];
  let isWriting = false;

  const writeAll = async (): Promise<void> => {
    while (waiting.length > 0) {
      const group = waiting.splice(0, GROUP_BOUND);
      await writeGroup(database, group);
    }
    isWriting = false;
  };

  return (work) =>
    new Promise((resolve, reject) => {
      waiting.push({ run: runner(work, resolve), reject });
      if (isWriting) return;
      isWriting = true;
      setImmediate(() => void writeAll());
    });
}

function runner<T>(work: Work<T>, resolve: (result: T) => void): Pending['run'] {
  return async (tx, moved) => {
    const result = await work(tx, moved);
    return () => resolve(result);
  };
}

/** Settles every promise of the group; throws nothing. */
async function writeGroup(database: Database, group: readonly Pending[]): Promise<void> {
  const moved = new Set<RevisionScope>();
  try {
    const settle = await database.transact(moved, async (tx) => {
      const done: (() => void)[] = [];
      for (const { run } of group) done.push(await run(tx, moved));
      return done;
    });
    for (const resolve of settle) resolve();
  } catch (error) {
    if (group.length === 1) for (const { reject } of group) reject(error);
    // Nothing of the group was kept: each gets a transaction of its own, and so its own outcome.
    else for (const one of group) await writeGroup(database, [one]);
  }
}
