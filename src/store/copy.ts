import { isDeepStrictEqual } from 'node:util';
import { type Kysely, sql, type Transaction } from 'kysely';
import { Problem } from '../base/problem.js';
import type { Engine } from './engine/engine.js';
import {
  insertRows,
  pagesOf,
  summing,
  type TableSummary,
  tableNames,
  tableSummaryOf,
} from './maintenance/table-pages.js';
import { databaseState, openEngine } from './open.js';
import type { Tables } from './schema/schema.js';

/** A copy that can't be made. The message tells the operator why; nothing was written. */
class CopyRefused extends Error {
  override readonly name = 'CopyRefused';
}

/**
 * Copies a whole installation between databases of any engines, in one transaction of the target. Before the commit it
 * reads the copy again and compares every table with the source. Both must be fully migrated, the target must be empty,
 * and the source is only read. Throws CopyRefused, also when the source was changed meanwhile, and the Problem
 * `database_unavailable`.
 */
export async function copyDatabase(from: string, to: string): Promise<TableSummary[]> {
  await refuseUnprepared('the source', from);
  await refuseUnprepared('the target', to);
  const source = await forSide('the source', () => openEngine(from));
  try {
    const target = await forSide('the target', () => openEngine(to));
    try {
      return await copyAll(source, target);
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

async function refuseUnprepared(side: string, url: string): Promise<void> {
  const { exists, pending, foreign } = await forSide(side, () => databaseState(url));
  if (!exists) throw new CopyRefused(`${side}: there is no database; "byway db migrate" makes one`);
  if (foreign.length > 0) {
    throw new CopyRefused(
      `${side}: a newer version of Byway has written it (migration ${foreign.join(', ')})`,
    );
  }
  if (pending.length > 0) {
    throw new CopyRefused(`${side}: lacks migration ${pending.join(', ')}; "byway db migrate" applies it`);
  }
}

/** Names the side whose database can't be opened. */
async function forSide<T>(side: string, open: () => Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (error) {
    if (!(error instanceof Error) || error instanceof Problem) throw error;
    throw new CopyRefused(`${side}: ${error.message}`, { cause: error });
  }
}

function copyAll(source: Engine, target: Engine): Promise<TableSummary[]> {
  return target.withExclusiveLock(async (tx) => {
    const version = await source.dataVersion();
    // Revisions go first: whatever else writes to the target bumps one, and so waits or fails.
    await tx.deleteFrom('revision').execute();
    for (const table of tableNames()) await refuseRows(tx, table);
    const copied: TableSummary[] = [];
    for (const table of tableNames()) copied.push(await copyTable(source.reader, tx, table));
    for (const summary of copied) await refuseDifference(summary, tx);
    for (const summary of copied) await refuseChange(summary, source.reader);
    if ((await source.dataVersion()) !== version) throw sourceChanged();
    await target.signalBump(tx, '');
    return copied;
  });
}

async function refuseRows(tx: Transaction<Tables>, table: keyof Tables): Promise<void> {
  const { rows } = await sql`select 1 from ${sql.table(table)} limit 1`.execute(tx);
  if (rows.length > 0) throw new CopyRefused(`the target: is not empty (${table} has rows)`);
}

async function copyTable(
  source: Kysely<Tables>,
  tx: Transaction<Tables>,
  table: keyof Tables,
): Promise<TableSummary> {
  const sums = summing(table);
  for await (const rows of pagesOf(source, table)) {
    sums.take(rows);
    await insertRows(tx, table, rows);
  }
  return sums.done();
}

async function refuseDifference(copied: TableSummary, tx: Transaction<Tables>): Promise<void> {
  if (isDeepStrictEqual(await tableSummaryOf(tx, copied.table), copied)) return;
  throw new CopyRefused(`the target: holds something else than was written to it (${copied.table})`);
}

/** The pages are not read in one snapshot, so the source must not change meanwhile. */
async function refuseChange(copied: TableSummary, source: Kysely<Tables>): Promise<void> {
  if (!isDeepStrictEqual(await tableSummaryOf(source, copied.table), copied)) throw sourceChanged();
}

function sourceChanged(): CopyRefused {
  return new CopyRefused('the source: was changed while it was copied; stop every gateway on it first');
}
