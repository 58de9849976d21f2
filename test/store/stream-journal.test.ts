import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { systemIds } from '../../src/base/ids.js';
import { BYOK_ALLOWANCE_NANO_USD } from '../../src/ledger/payer.js';
import type { Database } from '../../src/store/database/database.js';
import { createProcessLease } from '../../src/store/engine/process-lease.js';
import { createStores } from '../../src/store/stores.js';
import { clockAt } from '../support/clock.js';
import { DATABASE_KINDS, openDuringTest, temporaryDatabaseUrl } from '../support/database.js';
import {
  byokCharge,
  ledgerViolations,
  NOW,
  PAYER,
  sharedCharge,
  spendRequest,
  unsettledGeneration,
} from './spending.js';

const storesOf = (database: Database) => createStores(database, { clock: clockAt(NOW), ids: systemIds });

/** Makes the notes those of a process of this machine that has ended. */
async function killHolder(database: Database): Promise<void> {
  const [machine] = createProcessLease().id.split('.');
  const { pid } = spawnSync(process.execPath, ['--version']);
  const holder = `${machine}.${pid}.killed`;
  await database.transact([], async (tx) => {
    await tx.updateTable('stream_journal').set({ holder }).execute();
    await tx.updateTable('reservation').set({ holder }).execute();
  });
}

const log = () => {
  const errors: object[] = [];
  return { errors, error: (fields: object) => void errors.push(fields) };
};

const noted = async ({ query }: Database) =>
  (await query.selectFrom('stream_journal').select('generation_id').execute()).map(
    (row) => row.generation_id,
  );

const usageOf = async ({ query }: Database) =>
  query
    .selectFrom('generation')
    .select(['id', 'usage_nano_usd', 'tokens_completion'])
    .orderBy('id')
    .execute();

describe.each(DATABASE_KINDS)('notes of streams on %s', (kind) => {
  const open = async (url?: string) => openDuringTest(url ?? (await temporaryDatabaseUrl(kind)));
  const entry = (id: string, completionTokens: number, cost: bigint) => ({
    generation: unsettledGeneration(id, { completionTokens, isStreamed: true }),
    charge: sharedCharge(cost),
  });

  it('are replaced by later ones, and go with the settlement', async () => {
    const database = await open();
    const { streamJournal, generations } = storesOf(database);
    await streamJournal.note([entry('a', 1, 10n), entry('b', 1, 10n)]);
    await streamJournal.note([entry('a', 2, 20n)]);
    expect((await noted(database)).sort()).toEqual(['a', 'b']);
    await generations.settle(unsettledGeneration('a'), sharedCharge(30n));
    expect(await noted(database)).toEqual(['b']);
    expect(await streamJournal.settleAbandoned(log())).toBe(0);
    await killHolder(database);
    expect(await streamJournal.settleAbandoned(log())).toBe(1);
    expect(await usageOf(database)).toEqual([
      { id: 'a', usage_nano_usd: 30n, tokens_completion: 1 },
      { id: 'b', usage_nano_usd: 10n, tokens_completion: 1 },
    ]);
    expect(await noted(database)).toEqual([]);
    expect(await ledgerViolations(database)).toEqual([]);
  });

  it('of a process that serves are never charged by others', async () => {
    const url = await temporaryDatabaseUrl(kind);
    const [first, second] = [await open(url), await open(url)];
    await storesOf(first).streamJournal.note([entry('a', 1, 10n)]);
    expect(await storesOf(second).streamJournal.settleAbandoned(log())).toBe(0);
    expect(await noted(first)).toEqual(['a']);
  });

  it('are charged once, however many processes look for them, and end what was reserved', async () => {
    const url = await temporaryDatabaseUrl(kind);
    const databases = kind === 'postgres' ? [await open(url), await open(url)] : [await open(url)];
    const [database] = databases;
    if (database === undefined) throw new Error('no database');
    const all = databases.map(storesOf);
    const ids = Array.from({ length: 20 }, (_, index) => `gen-${index}`);
    for (const id of ids) await all[0]?.ledger.reserve(id, spendRequest(), NOW + 60_000);
    await all[0]?.streamJournal.note(ids.map((id) => entry(id, 1, 10n)));
    await killHolder(database);
    const counts = await Promise.all(
      [...all, ...all].map(({ streamJournal }) => streamJournal.settleAbandoned(log())),
    );
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(20);
    expect(await usageOf(database)).toHaveLength(20);
    expect(await database.query.selectFrom('reservation').selectAll().execute()).toEqual([]);
    expect(await ledgerViolations(database)).toEqual([]);
  });

  it('that came behind the settlement are not charged, and are dropped by their process', async () => {
    const database = await open();
    const { streamJournal, generations } = storesOf(database);
    await generations.settle(unsettledGeneration('a'), sharedCharge(30n));
    await streamJournal.note([entry('a', 1, 10n), entry('b', 1, 10n)]);
    await streamJournal.drop(['a', 'b']);
    expect(await noted(database)).toEqual(['b']);
    await streamJournal.note([entry('a', 1, 10n)]);
    await killHolder(database);
    expect(await streamJournal.settleAbandoned(log())).toBe(1);
    expect((await usageOf(database)).map(({ usage_nano_usd }) => usage_nano_usd)).toEqual([30n, 10n]);
    expect(await noted(database)).toEqual([]);
    expect(await ledgerViolations(database)).toEqual([]);
  });

  it('pay the fee of BYOK use beyond the allowance', async () => {
    const database = await open();
    const { streamJournal, generations } = storesOf(database);
    const allowance = BYOK_ALLOWANCE_NANO_USD.pay_as_you_go;
    await generations.settle(unsettledGeneration('a', { byokKeyId: 'b' }), byokCharge(allowance));
    const generation = unsettledGeneration('b', { byokKeyId: 'b' });
    await streamJournal.note([{ generation, charge: byokCharge(100n) }]);
    await killHolder(database);
    await streamJournal.settleAbandoned(log());
    expect((await usageOf(database)).at(-1)?.usage_nano_usd).toBe(5n);
    expect(await ledgerViolations(database)).toEqual([]);
  });

  it('that can not be read are logged once and keep no other from being charged', async () => {
    const database = await open();
    const { streamJournal } = storesOf(database);
    await streamJournal.note([entry('a', 1, 10n), entry('b', 1, 10n)]);
    await killHolder(database);
    await database.transact([], (tx) =>
      tx
        .updateTable('stream_journal')
        .set({ unsettled_json: '{' })
        .where('generation_id', '=', 'a')
        .execute(),
    );
    const errors = log();
    expect(await streamJournal.settleAbandoned(errors)).toBe(1);
    expect(await streamJournal.settleAbandoned(errors)).toBe(0);
    expect(errors.errors).toMatchObject([{ generation: 'a' }]);
  });

  it('of a run are charged to it, and counted, once, also without the process that sent them', async () => {
    const database = await open();
    const { streamJournal, runs } = storesOf(database);
    const { accountId, workspaceId, apiKeyHash, userId } = PAYER;
    const named = { name: 'r', limitNanoUsd: 100n };
    const { id } = await runs.open({ accountId, workspaceId, apiKeyHash, userId }, named, NOW - 1);
    const generation = unsettledGeneration('a', { isStreamed: true, runId: id });
    await streamJournal.note([{ generation, charge: sharedCharge(10n) }]);
    await killHolder(database);
    expect(await storesOf(database).streamJournal.settleAbandoned(log())).toBe(1);
    expect(await storesOf(database).streamJournal.settleAbandoned(log())).toBe(0);
    const everything = { apiKeyHashes: [], from: null, to: null };
    const { runs: listed } = await runs.list(accountId, everything, { offset: 0, limit: 9 });
    expect(listed).toMatchObject([{ name: 'r', requests: 1, usageNanoUsd: 10n, limitNanoUsd: 100n }]);
    expect(await ledgerViolations(database)).toEqual([]);
  });
});
