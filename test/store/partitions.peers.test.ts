import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { Client } from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/base/clock.js';
import type { Database } from '../../src/store/database/database.js';
import { chargeViolations } from '../../src/store/maintenance/invariants.js';
import { tableStats } from '../../src/store/maintenance/table-stats.js';
import { MIGRATIONS } from '../../src/store/migrations/index.js';
import { openDatabase } from '../../src/store/open.js';
import { createRetention } from '../../src/store/retention/retention.js';
import { usageViolations } from '../../src/store/usage/usage-check.js';
import { emptyDatabaseUrl, openDuringTest, optionsFor } from '../support/database.js';
import { ANY_GENERATION } from '../support/generations.js';
import { idAt, partitionSizes } from '../support/partitions.js';
import { hasPostgres } from '../support/postgres/postgres-access.js';
import { openLedgerStores, PAYER, sharedCharge, unsettledGeneration } from './spending.js';

const DAY_MS = 86_400_000;

const SCOPE = { accountId: PAYER.accountId, apiKeyHash: null };

const UNSTOPPED = new AbortController().signal;

/** A database whose table of records is not partitioned, as the version before left it. */
async function unpartitioned() {
  const url = await emptyDatabaseUrl('postgres');
  const database = await openDatabase(url, { ...optionsFor(url), migrations: MIGRATIONS });
  onTestFinished(() => database.close());
  await addAccount(database);
  return { url, ...storesOf(database) };
}

async function addAccount(database: Database): Promise<void> {
  await database.transact(['identity'], async (tx) => {
    await tx
      .insertInto('account')
      .values({ id: PAYER.accountId, name: 'a', plan: 'enterprise', owner_user_id: 'u', created_at: 1 })
      .execute();
  });
}

function storesOf(database: Database) {
  const { generations } = openLedgerStores(database);
  return {
    database,
    generations,
    settle: (id: string, createdAt: number) =>
      generations.settle(unsettledGeneration(id, { createdAt }), sharedCharge(2n)),
    prepare: (now: number) => database.recordPartitions?.prepare(now, UNSTOPPED),
  };
}

/** A database whose records have had partitions since an instant. */
async function partitionedAt(now: number) {
  const opened = await unpartitioned();
  await opened.prepare(now);
  return opened;
}

async function dropOlder(database: Database, now: number, records = 40) {
  let dropped = 0;
  const failures: object[] = [];
  const clock = { now: () => now };
  const meter = {
    dropped(_: string, rows: number) {
      dropped += rows;
    },
  };
  const retention = createRetention(database, { records, ledger: null }, { clock, meter });
  await retention.run({ info: () => {}, error: (fields) => void failures.push(fields) });
  expect(failures).toEqual([]);
  return dropped;
}

describe.runIf(hasPostgres())('the table of records on PostgreSQL', () => {
  test('has a partition for each of this month and the next two in a new installation', async () => {
    const database = await openDuringTest(await emptyDatabaseUrl('postgres'));
    const months = [0, 1, 2].map((later) => {
      const now = new Date(systemClock.now());
      const start = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + later));
      return `generation_${start.toISOString().slice(0, 7).replace('-', '_')}`;
    });
    expect(Object.keys(await partitionSizes(database))).toEqual([
      ...months,
      'generation_default',
      'generation_earlier',
    ]);
  });

  test('that has records becomes the partition of everything up to the end of a month ahead', async () => {
    const now = Date.UTC(2026, 10, 23);
    const { database, generations, settle, prepare } = await unpartitioned();
    const ids = [idAt(now - 400 * DAY_MS), idAt(now), idAt(now + 8 * DAY_MS), 'gen-other', 'old'];
    for (const id of ids) await settle(id, now);
    await prepare(now);
    expect(await partitionSizes(database)).toEqual({
      generation_2027_01: 0,
      generation_default: 2,
      generation_earlier: 3,
    });
    for (const id of ids) expect(await generations.find(id, SCOPE)).toMatchObject({ id });
    const listed = await generations.list(PAYER.accountId, ANY_GENERATION, {
      offset: 0,
      limit: 10,
      after: null,
    });
    expect(listed.generations.map(({ id }) => id)).toEqual(ids.toSorted());
    expect([...(await usageViolations(database)), ...(await chargeViolations(database))]).toEqual([]);
    expect(await database.integrityErrors()).toEqual([]);
  });

  test('keeps its primary key, indexes, triggers, defaults and rights', async () => {
    const now = Date.UTC(2026, 10, 23);
    const { url, database, settle, prepare } = await unpartitioned();
    const schema = async () => {
      const { rows } = await sql<{ text: string }>`
        select replace(pg_get_indexdef(indexrelid), ' ONLY ', ' ') as text from pg_index
          where indrelid = 'generation'::regclass
        union all select pg_get_triggerdef(oid) from pg_trigger where tgrelid = 'generation'::regclass
        union all select concat_ws(' ', attname, atttypid::regtype, attcollation::regcollation, attnotnull,
            pg_get_expr(adbin, adrelid))
          from pg_attribute left join pg_attrdef on adrelid = attrelid and adnum = attnum
          where attrelid = 'generation'::regclass and attnum > 0
        union all select relacl::text from pg_class where oid = 'generation'::regclass`.execute(
        database.query,
      );
      return rows.map(({ text }) => text).sort();
    };
    await withClient(url, (client) => client.query('grant select on generation to public'));
    await settle(idAt(now), now);
    const before = await schema();
    await prepare(now);
    expect(await schema()).toEqual(before);
    await expect(settle(idAt(now), now)).rejects.toThrow('duplicate key');
  });

  test('becomes partitioned while records are written and read, and none is lost', async () => {
    const now = Date.now();
    const { url, database, settle } = await unpartitioned();
    for (let index = 0; index < 50; index++) await settle(idAt(now - index * DAY_MS), now);
    // A process of the version before: its statements are prepared by now.
    const other = storesOf(await openDatabase(url, { ...optionsFor(url), migrations: MIGRATIONS }));
    onTestFinished(() => other.database.close());
    let isDone = false;
    let written = 0;
    const writeAndRead = async (lane: string) => {
      while (!isDone) {
        const id = idAt(Date.now(), `${lane}${(++written).toString(16)}`);
        await other.settle(id, now);
        expect(await other.generations.find(id, SCOPE)).toMatchObject({ id });
      }
    };
    const busy = ['a', 'b', 'c'].map(writeAndRead);
    const [one, two] = [database, await openDuringTest(url)];
    await Promise.all([one, two].map(({ recordPartitions }) => recordPartitions?.prepare(now, UNSTOPPED)));
    await sleep(50);
    isDone = true;
    await Promise.all(busy);
    expect(written).toBeGreaterThan(0);
    const counts = await partitionSizes(database);
    expect(Object.values(counts).reduce((sum, count) => sum + count)).toBe(50 + written);
    expect(counts.generation_default).toBe(0);
    expect(await usageViolations(database)).toEqual([]);
  });

  test('stays as it was where it can not be partitioned, and is partitioned later', async () => {
    const now = Date.UTC(2026, 10, 23);
    const { url, database, settle, prepare } = await unpartitioned();
    await settle(idAt(now), now);
    const later = now + 100 * DAY_MS;
    await withClient(url, async (client) => {
      await client.query('create table generation_earlier ()');
      await expect(prepare(now)).rejects.toThrow('relation "generation_earlier" already exists');
      await settle(idAt(later), later);
      await client.query('drop table generation_earlier');
    });
    await prepare(now);
    expect(await partitionSizes(database)).toMatchObject({ generation_earlier: 1, generation_default: 1 });
  });

  test('is not waited for: who holds it is let finish, and nobody waits meanwhile for long', async () => {
    const now = Date.UTC(2026, 10, 23);
    const { url, database, settle, prepare } = await unpartitioned();
    await settle(idAt(now), now);
    await withClient(url, async (client) => {
      await client.query('begin; select count(*) from generation');
      const preparing = prepare(now);
      await untilWaiting(url);
      await settle(idAt(now + 1), now);
      await client.query('commit');
      await preparing;
    });
    expect(await partitionSizes(database)).toMatchObject({ generation_earlier: 2 });
  });

  test('gets a month that was missing, with the records that were made in it', async () => {
    const { database, settle, prepare } = await partitionedAt(Date.UTC(2026, 0, 10));
    const later = Date.UTC(2026, 5, 15);
    await settle(idAt(later), later);
    await settle('gen-other', later);
    expect(await partitionSizes(database)).toMatchObject({ generation_default: 2, generation_2026_03: 0 });
    await prepare(later);
    await prepare(later);
    expect(await partitionSizes(database)).toMatchObject({
      generation_2026_03: 0,
      generation_2026_06: 1,
      generation_2026_07: 0,
      generation_2026_08: 0,
      generation_default: 1,
    });
  });

  test('loses a month as a whole when all of it is too old, and its records are found no more before that', async () => {
    const january = Date.UTC(2026, 0, 10);
    const { database, generations, settle } = await partitionedAt(january);
    const [first, last, march] = [january, Date.UTC(2026, 0, 31, 23), Date.UTC(2026, 2, 20)];
    for (const at of [first, last, march]) await settle(idAt(at), at);
    const found = async () =>
      Promise.all(
        [first, last, march].map(async (at) => (await generations.find(idAt(at), SCOPE)) !== undefined),
      );

    expect(await dropOlder(database, first + 41 * DAY_MS)).toBe(0);
    expect(await found()).toEqual([false, true, true]);
    const page = { offset: 0, limit: 10, after: null };
    expect(await generations.list(PAYER.accountId, ANY_GENERATION, page)).toMatchObject({ totalCount: 2 });
    expect(await partitionSizes(database)).toMatchObject({ generation_2026_01: 2 });

    expect(await dropOlder(database, last + 41 * DAY_MS)).toBe(2);
    expect(await found()).toEqual([false, false, true]);
    expect(Object.keys(await partitionSizes(database))).not.toContain('generation_2026_01');
    expect([...(await usageViolations(database)), ...(await chargeViolations(database))]).toEqual([]);
  });

  test('keeps a month with a record that is young in spite of its id, or that is not in the rollups yet', async () => {
    const january = Date.UTC(2026, 0, 10);
    const { database, settle } = await partitionedAt(january);
    const now = january + 200 * DAY_MS;
    await settle(idAt(january), now);
    await settle(idAt(Date.UTC(2026, 1, 10)), Date.UTC(2026, 1, 10));
    await database.transact([], async (tx) => {
      await tx
        .insertInto('usage_fill')
        .values({ account_id: PAYER.accountId, created_at: -1, id: '' })
        .execute();
    });
    expect(await dropOlder(database, now)).toBe(0);
    await database.transact([], async (tx) => void (await tx.deleteFrom('usage_fill').execute()));
    expect(await dropOlder(database, now)).toBe(1);
    expect(await partitionSizes(database)).toMatchObject({ generation_2026_01: 1 });
    expect(Object.keys(await partitionSizes(database))).not.toContain('generation_2026_02');
  });

  test('loses what is of no month in pieces, and what was before the months as a whole', async () => {
    const now = Date.UTC(2026, 0, 10);
    const { database, settle, prepare } = await unpartitioned();
    await settle(idAt(now), now);
    await settle(idAt(now + 20 * DAY_MS), now + 20 * DAY_MS);
    await settle('gen-other', now);
    await prepare(now);
    expect(await dropOlder(database, now + 45 * DAY_MS)).toBe(2);
    expect(await partitionSizes(database)).toMatchObject({ generation_earlier: 1, generation_default: 0 });
    expect(await dropOlder(database, Date.UTC(2026, 5, 1))).toBe(1);
    expect(Object.keys(await partitionSizes(database))).not.toContain('generation_earlier');
    await settle(idAt(now, '1'), now);
    expect(await partitionSizes(database)).toMatchObject({ generation_default: 1 });
  });

  test('is one table in the statistics', async () => {
    const now = Date.UTC(2026, 0, 10);
    const { database, settle } = await partitionedAt(now);
    for (const at of [now - 90 * DAY_MS, now]) await settle(idAt(at), at);
    const stats = (await tableStats(database, now)).filter(({ table }) => table.startsWith('generation'));
    expect(stats).toMatchObject([{ table: 'generation', rows: 2, oldest: now - 90 * DAY_MS }]);
    expect(stats[0]?.bytes).toBeGreaterThan(100_000);
  });
});

async function withClient(url: string, work: (client: Client) => Promise<unknown>): Promise<void> {
  const client = new Client(url);
  await client.connect();
  await work(client).finally(() => client.end());
}

/** Until a statement waits for the lock of the table. */
async function untilWaiting(url: string): Promise<void> {
  await withClient(url, async (client) => {
    const waiting = `select from pg_locks where not granted and relation = 'generation'::regclass`;
    while ((await client.query(waiting)).rowCount === 0);
  });
}
