import type { Transaction } from 'kysely';
import { Problem } from '../../base/problem.js';
import type { Database } from '../database/database.js';
import type { RevisionScope, Tables } from '../schema/schema.js';

/** Writes, and adds the scopes of what it changes to `scopes`. Runs again when its transaction is retried. */
type Work<T> = (tx: Transaction<Tables>, scopes: Set<RevisionScope>) => Promise<T>;

/** Resolves to the result of the work once it is committed. */
type GroupCommit = <T>(work: Work<T>) => Promise<T>;

/** Works per transaction, so that no group holds the write lock for long. */
const MAX_GROUP = 256;

/** Runs a work; the function that it resolves to fulfils the caller's promise. */
export type Run<In extends unknown[]> = (...within: In) => Promise<() => void>;

interface Pending<Need, In extends unknown[]> {
  readonly need: Need;
  readonly run: Run<In>;
  reject(error: unknown): void;
}

/** Runs the works of a group in order, in one transaction; resolves to what they resolve to, once committed. */
type RunGroup<Need, In extends unknown[]> = (
  group: readonly Pick<Pending<Need, In>, 'need' | 'run'>[],
) => Promise<readonly (() => void)[]>;

/**
 * Group commit: works that are submitted in the same iteration of the event loop, or while a group is being written,
 * share one transaction, since a commit costs more than most works. Each promise settles as if its work had a
 * transaction of its own: a work that fails does not fail the others. See `docs/adr/0005-group-commit.md`.
 */
export function groupCommit(database: Database): GroupCommit {
  const submit = inGroups<null, Parameters<Work<unknown>>>((group) => {
    const scopes = new Set<RevisionScope>();
    return database.transact(scopes, (tx) => runAll(group, tx, scopes));
  });
  return (work) => submit(null, work);
}

/** Makes a function that submits a work, with what `runGroup` needs to know of it, to the next group. */
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

/** Runs the works of a group in order. */
export async function runAll<In extends unknown[]>(
  group: readonly { readonly run: Run<In> }[],
  ...within: In
): Promise<readonly (() => void)[]> {
  const done: (() => void)[] = [];
  for (const { run } of group) done.push(await run(...within));
  return done;
}

/** Settles every promise of the group; never rejects. */
async function writeGroup<Need, In extends unknown[]>(
  runGroup: RunGroup<Need, In>,
  group: readonly Pending<Need, In>[],
): Promise<void> {
  try {
    for (const resolve of await runGroup(group)) resolve();
  } catch (error) {
    // Without a database single transactions would fail as well; and this one may have been committed.
    const isUnavailable = error instanceof Problem && error.reason === 'database_unavailable';
    if (group.length === 1 || isUnavailable) for (const { reject } of group) reject(error);
    // The group was rolled back: each work gets a transaction, and so an outcome, of its own.
    else for (const one of group) await writeGroup(runGroup, [one]);
  }
}
