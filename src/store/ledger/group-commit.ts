import type { Transaction } from 'kysely';
import { Problem } from '../../base/problem.js';
import type { Database } from '../database.js';
import type { RevisionScope, Tables } from '../schema.js';

/**
 * What is written, and what it gives. It adds the scopes of what it changes to `moved`. It is run again when the
 * transaction that it stood in was lost through another one's fault.
 */
type Work<T> = (tx: Transaction<Tables>, applyDelta: Set<RevisionScope>) => Promise<T>;

/** Writes; resolves to what the work gives, once that is committed. */
type GroupCommit = <T>(work: Work<T>) => Promise<T>;

/** Works in one transaction at most, so that no group holds the write lock for long. */
const MAX_GROUP = 256;

/** Runs a work; what that returns settles its promise well. */
export type Run<In extends unknown[]> = (...within: In) => Promise<() => void>;

/** A work that waits for its group. */
interface Pending<Need, In extends unknown[]> {
  readonly need: Need;
  readonly run: Run<In>;
  reject(error: unknown): void;
}

/** Runs the works of a group, one after the other, in one transaction; resolves to what they give, once committed. */
type RunGroup<Need, In extends unknown[]> = (
  group: readonly Pick<Pending<Need, In>, 'need' | 'run'>[],
) => Promise<readonly (() => void)[]>;

/**
 * Writes in groups: what is asked for in the same turn of the event loop shares one transaction, since committing
 * costs more than most of what is committed. Each promise resolves after its own commit, exactly as if it had a
 * transaction to itself; a work that fails takes nobody with it. The counters of the group's scopes move once.
 */
export function groupCommit(database: Database): GroupCommit {
  const submit = inGroups<null, Parameters<Work<unknown>>>((group) => {
    const applyDelta = new Set<RevisionScope>();
    return database.transact(applyDelta, (tx) => runAll(group, tx, applyDelta));
  });
  return (work) => submit(null, work);
}

/** Gives what has works run in groups, each with what it needs. */
export function inGroups<Need, In extends unknown[]>(
  runGroup: RunGroup<Need, In>,
): <T>(need: Need, work: (...within: In) => Promise<T>) => Promise<T> {
  const waiting: Pending<Need, In>[] = [];
  let isWriting = false;

  const writeAll = async (): Promise<void> => {
    while (waiting.length > 0) await writeGroup(runGroup, waiting.splice(0, MAX_GROUP));
    isWriting = false;
  };

  return (need, work) =>
    new Promise((resolve, reject) => {
      const run: Run<In> = async (...within) => {
        const result = await work(...within);
        return () => resolve(result);
      };
      waiting.push({ need, run, reject });
      if (isWriting) return;
      isWriting = true;
      setImmediate(() => void writeAll());
    });
}

/** Runs the works of a group one after the other. */
export async function runAll<In extends unknown[]>(
  group: readonly { readonly run: Run<In> }[],
  ...within: In
): Promise<readonly (() => void)[]> {
  const done: (() => void)[] = [];
  for (const { run } of group) done.push(await run(...within));
  return done;
}

/** Settles every promise of the group; throws nothing. */
async function writeGroup<Need, In extends unknown[]>(
  runGroup: RunGroup<Need, In>,
  group: readonly Pending<Need, In>[],
): Promise<void> {
  try {
    for (const resolve of await runGroup(group)) resolve();
  } catch (error) {
    // Without a database nobody's own transaction would end otherwise; and this one may have been committed.
    const isNobodysViolation = error instanceof Problem && error.reason === 'database_unavailable';
    if (group.length === 1 || isNobodysViolation) for (const { reject } of group) reject(error);
    // Nothing of the group was kept: each gets a transaction of its own, and so its own outcome.
    else for (const one of group) await writeGroup(runGroup, [one]);
  }
}
