import type { Transaction } from 'kysely';
import { Problem } from '../base/problem.js';
import type { Database } from './database.js';
import type { RevisionScope, Tables } from './schema.js';

/**
 * What is written, and what it gives. It adds the scopes of what it changes to `moved`. It is run again when the
 * transaction that it stood in was lost through another one's fault.
 */
type Work<T> = (tx: Transaction<Tables>, moved: Set<RevisionScope>) => Promise<T>;

/** Writes; resolves to what the work gives, once that is committed. */
type GroupCommit = <T>(work: Work<T>) => Promise<T>;

/** What the works of a group share: opened before the first with what each of them needs, closed after the last. */
export interface Frame<Need, Context> {
  open(tx: Transaction<Tables>, needs: readonly Need[]): Promise<Context>;
  close(context: Context): Promise<void>;
}

/** As `GroupCommit`, in a frame. */
export type FramedCommit<Need, Context> = <T>(
  need: Need,
  work: (context: Context, tx: Transaction<Tables>) => Promise<T>,
) => Promise<T>;

/** Works in one transaction at most, so that no group holds the write lock for long. */
const GROUP_BOUND = 256;

interface Pending<Need, Context> {
  readonly need: Need;
  /** Runs the work; what it returns settles its promise well. */
  run(context: Context, tx: Transaction<Tables>, moved: Set<RevisionScope>): Promise<() => void>;
  reject(error: unknown): void;
}

/**
 * Writes in groups: what is asked for in the same turn of the event loop shares one transaction, since committing
 * costs more than most of what is committed. Each promise resolves after its own commit, exactly as if it had a
 * transaction to itself; a work that fails takes nobody with it. The counters of the group's scopes move once.
 */
export function groupCommit(database: Database): GroupCommit {
  const submit = grouping<undefined, undefined>(database, {
    open: async () => undefined,
    close: async () => undefined,
  });
  return (work) =>
    new Promise((resolve, reject) => {
      submit({
        need: undefined,
        run: async (_context, tx, moved) => settled(resolve, await work(tx, moved)),
        reject,
      });
    });
}

/** `groupCommit` for works that share a frame; they move no revisions. */
export function framedGroupCommit<Need, Context>(
  database: Database,
  frame: Frame<Need, Context>,
): FramedCommit<Need, Context> {
  const submit = grouping(database, frame);
  return (need, work) =>
    new Promise((resolve, reject) => {
      submit({ need, run: async (context, tx) => settled(resolve, await work(context, tx)), reject });
    });
}

function settled<T>(resolve: (result: T) => void, result: T): () => void {
  return () => resolve(result);
}

function grouping<Need, Context>(
  database: Database,
  frame: Frame<Need, Context>,
): (pending: Pending<Need, Context>) => void {
  const waiting: Pending<Need, Context>[] = [];
  let isWriting = false;

  const writeAll = async (): Promise<void> => {
    while (waiting.length > 0) await writeGroup(database, frame, waiting.splice(0, GROUP_BOUND));
    isWriting = false;
  };

  return (pending) => {
    waiting.push(pending);
    if (isWriting) return;
    isWriting = true;
    setImmediate(() => void writeAll());
  };
}

/** Settles every promise of the group; throws nothing. */
async function writeGroup<Need, Context>(
  database: Database,
  frame: Frame<Need, Context>,
  group: readonly Pending<Need, Context>[],
): Promise<void> {
  const moved = new Set<RevisionScope>();
  try {
    const settle = await database.transact(moved, async (tx) => {
      const needs = group.map(({ need }) => need);
      const context = await frame.open(tx, needs);
      const done: (() => void)[] = [];
      for (const pending of group) done.push(await pending.run(context, tx, moved));
      await frame.close(context);
      return done;
    });
    for (const resolve of settle) resolve();
  } catch (error) {
    // Without a database nobody's own transaction would end otherwise; and this one may have been committed.
    const isNobodysFault = error instanceof Problem && error.reason === 'database_unavailable';
    if (group.length === 1 || isNobodysFault) for (const { reject } of group) reject(error);
    // Nothing of the group was kept: each gets a transaction of its own, and so its own outcome.
    else for (const one of group) await writeGroup(database, frame, [one]);
  }
}
