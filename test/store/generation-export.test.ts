import { describe, expect, it } from 'vitest';
import { systemIds } from '../../src/base/ids.js';
import { EXPORT_PAGE, type Generation, type GenerationFilter } from '../../src/inference/ports/generation.js';
import type { Database } from '../../src/store/database/database.js';
import { createLedgerMemory } from '../../src/store/ledger/ledger-memory.js';
import { createLedgerRunner } from '../../src/store/ledger/ledger-runner.js';
import { NotedStreams } from '../../src/store/ledger/noted-streams.js';
import { createGenerationStore } from '../../src/store/records/generation-store.js';
import { DATABASE_KINDS, withDatabase } from '../support/database.js';
import { ANY_GENERATION } from '../support/generations.js';
import { addGenerations } from '../support/many-generations.js';

const PAYER = { accountId: 'a', workspaceId: 'w', apiKeyHash: 'k', ownerUserId: 'u' };

/** More than are read at once where no index finds what matches, and not a multiple of anything. */
const MANY = 21_037;

function exportOf(database: Database, filter: Partial<GenerationFilter> = {}, accountId = 'a') {
  const runInLedger = createLedgerRunner(database, createLedgerMemory(database));
  const store = createGenerationStore(database, runInLedger, systemIds, new NotedStreams(database.query));
  return store.export(accountId, { ...ANY_GENERATION, ...filter });
}

async function all(pages: AsyncIterable<readonly Generation[]>): Promise<Generation[]> {
  const read: Generation[] = [];
  for await (const page of pages) read.push(...page);
  return read;
}

const idsOf = (generations: readonly Generation[]) => generations.map(({ id }) => id);

describe.each(DATABASE_KINDS)('an export of generations, %s', (kind) => {
  it('is everything that matches, once, oldest first, in pages', async () => {
    const database = await withDatabase(kind);
    // Of the same instants, so that pages end among them.
    await addGenerations(database, MANY, PAYER, 0);
    const sizes: number[] = [];
    const read: Generation[] = [];
    for await (const page of exportOf(database)) {
      sizes.push(page.length);
      read.push(...page);
    }
    expect(new Set(idsOf(read)).size).toBe(MANY);
    expect(read).toHaveLength(MANY);
    expect(Math.max(...sizes)).toBe(EXPORT_PAGE);
    expect(idsOf(read)).toEqual(idsOf(read).toSorted());

    const ofModel = await all(exportOf(database, { models: ['test/m3'] }));
    expect(idsOf(ofModel)).toEqual(idsOf(read.filter(({ model }) => model === 'test/m3')));
    expect(await all(exportOf(database, { reasons: ['none'], sessionIds: ['none'] }))).toEqual([]);
    expect(await all(exportOf(database, {}, 'another'))).toEqual([]);
  }, 60_000);

  it('of a time or a key is what the list shows of it', async () => {
    const database = await withDatabase(kind);
    await addGenerations(database, 300, PAYER);
    const read = await all(exportOf(database));
    const instants = read.map(({ createdAt }) => createdAt);
    expect(instants).toEqual(instants.toSorted((a, b) => a - b));
    const [from = 0, to = 0] = [instants[120], instants[250]];
    expect(await all(exportOf(database, { from, to }))).toEqual(read.slice(120, 250));
    expect(await all(exportOf(database, { from, to, apiKeyHashes: ['k'] }))).toEqual(read.slice(120, 250));
    expect(await all(exportOf(database, { apiKeyHashes: ['x', 'k'] }))).toEqual(read);
    expect(await all(exportOf(database, { apiKeyHashes: ['x'] }))).toEqual([]);
    expect(await all(exportOf(database, { from, models: ['test/m1'] }))).toEqual(
      read.slice(120).filter(({ model }) => model === 'test/m1'),
    );
  });

  it('ends at the newest that there was, though more come, and goes on behind what is gone', async () => {
    const database = await withDatabase(kind);
    await addGenerations(database, 450, PAYER);
    const before = idsOf(await all(exportOf(database)));
    const read: Generation[] = [];
    let isFirst = true;
    for await (const page of exportOf(database)) {
      read.push(...page);
      if (!isFirst) continue;
      isFirst = false;
      await copyNewest(database, 200, 60_000);
      const gone = [...before.slice(0, 50), ...before.slice(EXPORT_PAGE - 1, EXPORT_PAGE + 20)];
      await database.transact([], async (tx) => {
        await tx.deleteFrom('generation').where('id', 'in', gone).execute();
      });
    }
    const left = before.filter((_, index) => index < EXPORT_PAGE || index >= EXPORT_PAGE + 20);
    expect(idsOf(read)).toEqual(left);
    expect(await all(exportOf(database))).toHaveLength(450 - 71 + 200);
  });
});

/** Copies of the newest generation, so much later. */
async function copyNewest(database: Database, count: number, laterMs: number): Promise<void> {
  const newest = await database.query
    .selectFrom('generation')
    .selectAll()
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow();
  const copies = Array.from({ length: count }, (_, index) => ({
    ...newest,
    id: `copy-${index}`,
    created_at: newest.created_at + laterMs + index,
  }));
  await database.transact([], async (tx) => {
    await tx.insertInto('generation').values(copies).execute();
  });
}
