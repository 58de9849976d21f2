import type { Transaction } from 'kysely';
import { Problem } from '../base/problem.js';
import type { Database } from './database.js';
import type { Tables } from './schema.js';

/** What is written; it is run again when the transaction that it stood in was lost through another one's fault. */
type Work = (tx: Transaction<Tables>) => Promise<void>;

/** Works in one transaction at most, so that no group holds the write lock for long. */
const GROUP_BOUND = 256;

interface Pending {
  readonly work: Work;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Writes in groups: what is asked for in the same turn of the event loop shares one transaction, since committing
 * costs more than most of what is committed. Each promise resolves after its own commit, exactly as if it had a
 * transaction to itself; a work that fails takes nobody with it.
 */
export function groupCommit(database: Database): (work: Work) => Promise<void> {
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
      waiting.push({ work, resolve, reject });
      if (isWriting) return;
      isWriting = true;
      setImmediate(() => void writeAll());
    });
}

/** Settles every promise of the group; throws nothing. */
async function writeGroup(database: Database, group: readonly Pending[]): Promise<void> {
  try {
    await database.transact([], async (tx) => {
      for (const { work } of group) await work(tx);
    });
    for (const { resolve } of group) resolve();
  } catch (error) {
    // Without a database nobody's own transaction would end otherwise; and this one may have been committed.
    const isNobodysFault = error instanceof Problem && error.reason === 'database_unavailable';
    if (group.length === 1 || isNobodysFault) for (const { reject } of group) reject(error);
    // Nothing of the group was kept: each gets a transaction of its own, and so its own outcome.
    else for (const one of group) await writeGroup(database, [one]);
  }
}
