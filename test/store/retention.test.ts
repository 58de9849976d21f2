import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { DEFAULT_GROUPS } from '../../src/accounts/activity.js';
import type { Database } from '../../src/store/database/database.js';
import { rebuildTotals, totalsViolations } from '../../src/store/ledger/totals.js';
import { chargeViolations } from '../../src/store/maintenance/invariants.js';
import { createActivityReader } from '../../src/store/records/activity-reader.js';
import { createRetention, type RetentionDays } from '../../src/store/retention/retention.js';
import { usageViolations } from '../../src/store/usage/usage-check.js';
import { DATABASE_KINDS, emptyDatabaseUrl, openDuringTest, withDatabase } from '../support/database.js';
import { ANY_GENERATION } from '../support/generations.js';
import { byokCharge, NOW, openLedgerStores, PAYER, sharedCharge, unsettledGeneration } from './spending.js';

const DAY_MS = 86_400_000;

/** Two more than a piece. */
const OLD = 202;

const NEW = 3;

const KEEP_40: RetentionDays = { records: 40, ledger: null };
const KEEP_BOTH_100: RetentionDays = { records: 100, ledger: 100 };

/** Settles chats of 200 days ago, over both kinds of credentials, and of yesterday. */
async function fill(database: Database): Promise<void> {
  await database.transact(['identity'], async (tx) => {
    await tx
      .insertInto('account')
      .values({ id: PAYER.accountId, name: 'a', plan: 'enterprise', owner_user_id: 'u', created_at: 1 })
      .execute();
    const run = { account_id: PAYER.accountId, workspace_id: 'workspace', api_key_hash: 'hash', name: 'r' };
    await tx
      .insertInto('run')
      .values({ id: 'run', ...run, limit_nano_usd: null, requests: 0, first_at: 1, last_at: NOW })
      .execute();
  });
  const { generations } = openLedgerStores(database);
  const settle = (id: string, createdAt: number, isByok: boolean) =>
    generations.settle(
      unsettledGeneration(id, { createdAt, byokKeyId: isByok ? 'key' : null, runId: 'run', endUser: 'e/u' }),
      isByok ? byokCharge(3n) : sharedCharge(2n),
    );
  await Promise.all(
    Array.from({ length: OLD }, (_, index) =>
      settle(`old-${index}`, NOW - 200 * DAY_MS + index, index % 2 === 0),
    ),
  );
  await Promise.all(Array.from({ length: NEW }, (_, index) => settle(`new-${index}`, NOW - DAY_MS, false)));
}

function retentionOf(database: Database, days: RetentionDays) {
  const dropped: Record<string, number> = {};
  const logged: object[] = [];
  const meter = {
    dropped(table: string, rows: number) {
      dropped[table] = (dropped[table] ?? 0) + rows;
    },
  };
  const retention = createRetention(database, days, { clock: { now: () => NOW }, meter });
  const log = {
    info: (fields: object) => void logged.push(fields),
    error: (fields: object) => void logged.push(fields),
  };
  return { run: () => retention.run(log), dropped, logged };
}

async function violations(database: Database): Promise<string[]> {
  const checks = [usageViolations, chargeViolations, totalsViolations];
  return (await Promise.all(checks.map((check) => check(database)))).flat();
}

async function count(database: Database, table: 'generation' | 'ledger_entry'): Promise<number> {
  const rows = database.query.selectFrom(table).select(({ fn }) => fn.countAll<number>().as('rows'));
  return Number((await rows.executeTakeFirstOrThrow()).rows);
}

async function usageOf(database: Database) {
  const everything = {
    groupBy: DEFAULT_GROUPS,
    fromMs: null,
    beforeMs: null,
    apiKeyHash: null,
    workspaceId: null,
  };
  return createActivityReader(database).readActivity(PAYER.accountId, {
    ...everything,
    offset: 0,
    limit: 100,
  });
}

describe.each(DATABASE_KINDS)('retention on %s', (kind) => {
  test('drops old records, and leaves the newer ones, the ledger and all sums as they are', async () => {
    const database = await withDatabase(kind);
    await fill(database);
    const before = await usageOf(database);
    const { run, dropped, logged } = retentionOf(database, KEEP_40);
    await run();
    expect(dropped).toEqual({ generation: OLD });
    expect(logged).toEqual([{ table: 'generation', before: '2026-02-06T00:00:00.000Z', rows: OLD }]);
    expect([await count(database, 'generation'), await count(database, 'ledger_entry')]).toEqual([
      NEW,
      OLD + NEW,
    ]);
    expect(await usageOf(database)).toEqual(before);
    expect(await violations(database)).toEqual([]);
  });

  test('carries the sums of dropped ledger entries forward, and totals are rebuilt with them', async () => {
    const database = await withDatabase(kind);
    await fill(database);
    const totals = () =>
      database.query
        .selectFrom('spend_total')
        .select(['subject', 'credit_nano_usd', 'byok_nano_usd', 'daily_start', 'daily_credit_nano_usd'])
        .orderBy('subject')
        .execute();
    const before = await totals();
    const { run, dropped } = retentionOf(database, KEEP_BOTH_100);
    await run();
    expect(dropped).toEqual({ generation: OLD, ledger_entry: OLD });
    expect(await database.query.selectFrom('ledger_carried_forward').selectAll().execute()).toHaveLength(2);
    const attributed = database.query.selectFrom('attribution_carried_forward').select(['subject', 'kind']);
    expect(await attributed.orderBy('subject').orderBy('kind').execute()).toEqual(
      ['end-user/hash/e/u', 'run/run'].flatMap((subject) => [
        { subject, kind: 'byok_cost' },
        { subject, kind: 'credit_spend' },
      ]),
    );
    expect(await violations(database)).toEqual([]);
    await database.transact([], (tx) => rebuildTotals(tx));
    expect(await totals()).toEqual(before);
    expect(await violations(database)).toEqual([]);
  });

  test('leaves what is wrong in the days that are kept to be found', async () => {
    const database = await withDatabase(kind);
    await fill(database);
    await retentionOf(database, KEEP_BOTH_100).run();
    await database.transact([], async (tx) => {
      await tx.deleteFrom('generation').where('id', '=', 'new-0').execute();
      await tx.updateTable('ledger_carried_forward').set({ amount_nano_usd: 1n }).execute();
    });
    const found = await violations(database);
    expect(found).toContain('generation new-0 is charged and not recorded');
    expect(found.filter((line) => line.startsWith('usage of'))).toHaveLength(1);
    expect(found.filter((line) => line.includes('total credit is'))).not.toEqual([]);
  });

  test('hides what is too old from lists and look-ups before it is gone', async () => {
    const database = await withDatabase(kind);
    await fill(database);
    await database.transact([], async (tx) => {
      const dropped = { dropped_table: 'generation', dropped_before: NOW - 40 * DAY_MS } as const;
      await tx
        .insertInto('retention')
        .values({ ...dropped, holder: 'other', held_until: NOW })
        .execute();
    });
    const { generations } = openLedgerStores(database);
    const scope = { accountId: PAYER.accountId, apiKeyHash: null };
    expect(await generations.find('old-0', scope)).toBeUndefined();
    expect(await generations.find('new-0', scope)).toMatchObject({ id: 'new-0' });
    const page = { offset: 0, limit: 10, after: null };
    expect(await generations.list(PAYER.accountId, ANY_GENERATION, page)).toMatchObject({ totalCount: NEW });
    const unindexed = { ...ANY_GENERATION, statuses: ['ok'] } as const;
    expect(await generations.list(PAYER.accountId, unindexed, page)).toMatchObject({ totalCount: NEW });
    expect(await count(database, 'generation')).toBe(OLD + NEW);
  });

  test('is the work of one process at a time', async () => {
    const url = await emptyDatabaseUrl(kind);
    const [one, other] = [await openDuringTest(url), await openDuringTest(url)];
    await retentionOf(one, KEEP_40).run();
    await fill(one);
    const second = retentionOf(other, KEEP_40);
    await second.run();
    expect(second.dropped).toEqual({});
    const first = retentionOf(one, KEEP_40);
    await first.run();
    expect(first.dropped).toEqual({ generation: OLD });
  });

  test('waits for records that are not in the rollups yet', async () => {
    const database = await withDatabase(kind);
    await fill(database);
    await database.transact([], async (tx) => {
      await tx
        .insertInto('usage_fill')
        .values({ account_id: PAYER.accountId, created_at: -1, id: '' })
        .execute();
    });
    const { run, dropped } = retentionOf(database, KEEP_40);
    await run();
    expect(dropped).toEqual({ generation: 0 });
    expect(await count(database, 'generation')).toBe(OLD + NEW);
  });
});

test('on SQLite the room of what was dropped goes back to the file system', async () => {
  const database = await withDatabase('sqlite');
  await fill(database);
  const pages = async () => {
    const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(database.query);
    return rows[0]?.page_count ?? 0;
  };
  const full = await pages();
  await retentionOf(database, KEEP_BOTH_100).run();
  expect(await pages()).toBeLessThan(full * 0.9);
});
