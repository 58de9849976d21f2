import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { systemIds } from '../../src/base/ids.js';
import type { Pricing } from '../../src/catalog/types.js';
import type { Metered } from '../../src/ledger/pricing/price.js';
import { AT_BASE, ratesUnder } from '../../src/ledger/pricing/rates.js';
import type { Charge } from '../../src/ledger/settlement.js';
import { termsOf } from '../../src/receipts/terms.js';
import { copyDatabase } from '../../src/store/copy.js';
import type { Database } from '../../src/store/database/database.js';
import { createProcessLease } from '../../src/store/engine/process-lease.js';
import { termsViolations } from '../../src/store/maintenance/invariants.js';
import { createReceiptReader } from '../../src/store/records/receipt-reader.js';
import { createRetention } from '../../src/store/retention/retention.js';
import { createStores } from '../../src/store/stores.js';
import { NO_TOKENS } from '../ledger/no-tokens.js';
import { clockAt } from '../support/clock.js';
import { DATABASE_KINDS, openDuringTest, temporaryDatabaseUrl } from '../support/database.js';
import { ledgerViolations, NOW, PAYER, unsettledGeneration } from './spending.js';

const DAY_MS = 86_400_000;

const pricingOf = (prompt: string): Pricing => ({
  prices: { prompt, completion: '0.000002' },
  discount: null,
  overrides: [],
});

function charge(prompt: string, members: Partial<Charge & { metered: Metered }> = {}): Charge {
  const { plan = 'pay_as_you_go', isByok = false, metered = { ...NO_TOKENS, promptTokens: 1 } } = members;
  const rates = ratesUnder(pricingOf(prompt), { ...AT_BASE, promptTokens: 1, at: NOW });
  return { plan, isByok, costNanoUsd: 1n, billed: { terms: termsOf(rates, plan, isByok), metered } };
}

const storesOf = (database: Database) => createStores(database, { clock: clockAt(NOW), ids: systemIds });

const terms = async ({ query }: Database) => query.selectFrom('billing_terms').selectAll().execute();

const scope = { accountId: PAYER.accountId, apiKeyHash: null };

async function violations(database: Database): Promise<string[]> {
  return [...(await ledgerViolations(database)), ...(await termsViolations(database))];
}

describe.each(DATABASE_KINDS)('what requests were charged at, on %s,', (kind) => {
  const open = async () => openDuringTest(await temporaryDatabaseUrl(kind));

  it('is stored once for all requests of the same prices, whichever process settles them', async () => {
    const url = await temporaryDatabaseUrl(kind);
    const databases = kind === 'postgres' ? [await openDuringTest(url), await openDuringTest(url)] : [];
    const [first = await openDuringTest(url), ...others] = databases;
    const all = [first, ...others].map(storesOf);
    const prices = ['0.1', '0.10', '0.2', '0.3', '0.4'];
    await Promise.all(
      Array.from({ length: 100 }, (_, index) => {
        const accountId = `account-${index % 7}`;
        const prompt = prices[(index * 3) % prices.length] ?? '';
        return all[index % all.length]?.generations.settle(
          unsettledGeneration(`gen-${index}`, { accountId, apiKeyHash: accountId }),
          charge(prompt),
        );
      }),
    );
    expect(await terms(first)).toHaveLength(4);
    expect(await violations(first)).toEqual([]);
  });

  it('costs no statement once the process has stored it on that day', async () => {
    const database = await open();
    const { generations } = storesOf(database);
    await generations.settle(unsettledGeneration('a'), charge('0.1'));
    await database.transact([], (tx) => tx.deleteFrom('billing_terms').execute());
    await generations.settle(unsettledGeneration('b'), charge('0.1'));
    expect(await terms(database)).toEqual([]);
    await generations.settle(unsettledGeneration('c', { createdAt: NOW + DAY_MS }), charge('0.1'));
    expect(await terms(database)).toMatchObject([{ used_on: Math.floor((NOW + DAY_MS) / DAY_MS) }]);
  });

  it('is written with the record or not at all, and again by the next one', async () => {
    const database = await open();
    const { generations } = storesOf(database);
    await generations.settle(unsettledGeneration('a'), charge('0.1'));
    await expect(generations.settle(unsettledGeneration('a'), charge('0.2'))).rejects.toThrow();
    expect(await terms(database)).toHaveLength(1);
    await generations.settle(unsettledGeneration('b'), charge('0.2'));
    expect(await terms(database)).toHaveLength(2);
    expect(await violations(database)).toEqual([]);
  });

  it('is kept apart for own keys and where nobody is billed', async () => {
    const database = await open();
    const { generations } = storesOf(database);
    const plans = ['pay_as_you_go', 'enterprise', 'unbilled'] as const;
    for (const plan of plans) {
      for (const isByok of [true, false]) {
        const generation = unsettledGeneration(`${plan}-${isByok}`, { byokKeyId: isByok ? 'key' : null });
        await generations.settle(generation, charge('0.1', { plan, isByok }));
      }
    }
    const contents = (await terms(database)).map(({ content_json }) => JSON.parse(content_json));
    const base = { prompt: '0.1', completion: '0.000002' };
    expect(contents).toHaveLength(4);
    expect(contents).toEqual(
      expect.arrayContaining([
        { base },
        { base, fee: '0.05' },
        { base, unbilled: true },
        { base, fee: '0', unbilled: true },
      ]),
    );
  });

  it('is kept as long as a record refers to it, and no longer', async () => {
    const database = await open();
    await database.transact(['identity'], (tx) =>
      tx
        .insertInto('account')
        .values({ id: PAYER.accountId, name: 'a', plan: 'enterprise', owner_user_id: 'u', created_at: 1 })
        .execute(),
    );
    const { generations } = storesOf(database);
    const settle = (id: string, daysAgo: number, prompt: string) =>
      generations.settle(unsettledGeneration(id, { createdAt: NOW - daysAgo * DAY_MS }), charge(prompt));
    // More than a piece of random prices that nobody has any more.
    for (let index = 0; index < 450; index++) await settle(`old-${index}`, 200, `0.${index + 1}`);
    await settle('both-old', 200, '7');
    await settle('both-new', 1, '7');
    await settle('new', 40, '8');
    expect(await terms(database)).toHaveLength(450 - 45 + 2);
    const meter = { dropped: () => undefined };
    const clock = { now: () => NOW };
    const log = { info: () => undefined, error: (fields: object) => expect(fields).toEqual({}) };
    await createRetention(database, { records: 40, ledger: null }, { clock, meter }).run(log);
    expect((await terms(database)).map(({ content_json }) => JSON.parse(content_json).base.prompt)).toEqual(
      expect.arrayContaining(['7', '8']),
    );
    expect(await terms(database)).toHaveLength(2);
    const receipts = createReceiptReader(database);
    expect((await receipts.find('both-new', scope))?.terms?.base.prompt).toBe('7');
    expect((await receipts.find('new', scope))?.terms?.base.prompt).toBe('8');
    expect(await receipts.find('both-old', scope)).toBeUndefined();
    expect(await termsViolations(database)).toEqual([]);
  });

  it('is known of a stream whose process was killed', async () => {
    const database = await open();
    const { streamJournal, receipts } = storesOf(database);
    const metered = { ...NO_TOKENS, promptTokens: 5, cacheWriteTokens: 3, images: 2 };
    const generation = unsettledGeneration('a', { promptTokens: 5, countedBy: 'estimate', byokKeyId: 'key' });
    await streamJournal.note([{ generation, charge: charge('0.25', { isByok: true, metered }) }]);
    const [machine] = createProcessLease().id.split('.');
    const { pid } = spawnSync(process.execPath, ['--version']);
    await database.transact([], (tx) =>
      tx
        .updateTable('stream_journal')
        .set({ holder: `${machine}.${pid}.killed` })
        .execute(),
    );
    expect(await streamJournal.settleAbandoned({ error: (fields) => expect(fields).toEqual({}) })).toBe(1);
    const receipt = await receipts.find('a', scope);
    expect(receipt?.lines).toMatchObject([
      { kind: 'prompt', quantity: 5, includes: [{ kind: 'input_cache_write', quantity: 3 }] },
      { kind: 'completion', quantity: 1 },
    ]);
    expect(receipt?.allowanceLeftNanoUsd).toBe(25_000n * 10n ** 9n);
    expect(await violations(database)).toEqual([]);
  });

  it('is none of a stream that the previous version has noted', async () => {
    const database = await open();
    const { generations, receipts } = storesOf(database);
    await generations.settle(unsettledGeneration('a'), {
      plan: 'pay_as_you_go',
      isByok: false,
      costNanoUsd: 1n,
    });
    expect(await receipts.find('a', scope)).toBeNull();
  });

  it('that is missing, or was changed, is found by the check', async () => {
    const database = await open();
    const { generations } = storesOf(database);
    await generations.settle(unsettledGeneration('a'), charge('0.1'));
    await generations.settle(unsettledGeneration('b'), charge('0.2'));
    const [first, second] = await terms(database);
    await database.transact([], async (tx) => {
      await tx
        .deleteFrom('billing_terms')
        .where('id', '=', first?.id ?? 0)
        .execute();
      await tx.updateTable('billing_terms').set({ content_json: '{}' }).execute();
    });
    expect(await termsViolations(database)).toEqual([
      expect.stringContaining('was billed at are not kept'),
      `the prices ${second?.id} are not what was billed`,
    ]);
  });

  it('is copied with the database', async () => {
    const [from, to] = [await temporaryDatabaseUrl(kind), await temporaryDatabaseUrl(kind)];
    const database = await openDuringTest(from);
    await storesOf(database).generations.settle(unsettledGeneration('a'), charge('0.1'));
    const copied = await copyDatabase(from, to);
    expect(copied.find(({ table }) => table === 'billing_terms')).toMatchObject({ rows: 1 });
    const copy = await openDuringTest(to);
    expect((await createReceiptReader(copy).find('a', scope))?.terms?.base.prompt).toBe('0.1');
  });
});
