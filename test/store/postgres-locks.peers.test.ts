import { sql } from 'kysely';
import { Client } from 'pg';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { openPostgres } from '../../src/store/engine/postgres/engine.js';
import { PostgresLeases } from '../../src/store/engine/postgres/leases.js';
import { openDuringTest, temporaryDatabaseUrl } from '../support/database.js';
import { proxyBefore } from '../support/fakes/tcp-proxy.js';
import { hasPostgres } from '../support/postgres/postgres-access.js';
import { waitFor } from '../support/wait-for.js';
import { entry, entryIds } from './rows.js';
import { untilAvailable } from './until-available.js';

const nothing = { result: undefined, writes: [] };

async function twoHandles() {
  const url = await temporaryDatabaseUrl('postgres');
  return [await openDuringTest(url), await openDuringTest(url)] as const;
}

describe.runIf(hasPostgres())('transactions with locks', () => {
  test('may hold those of 2,000 accounts', async () => {
    const [one] = await twoHandles();
    const names = Array.from({ length: 2_000 }, (_, index) => `account/${index}`);
    const read = one.transactWithLocks(names, async (db) => {
      const { rows } = await sql<{ one: number }>`select 1 as one`.execute(db);
      return { result: rows, writes: [] };
    });
    expect(await read).toEqual([{ one: 1 }]);
  });

  test('wait for others that share a lock, and for no others', async () => {
    const [one, other] = await twoHandles();
    const order: string[] = [];
    let finish = () => {};
    const inside = new Promise<void>((entered) => {
      const finished = new Promise<void>((resolve) => {
        finish = resolve;
      });
      void one.transactWithLocks(['a', 'b'], async () => {
        entered();
        await finished;
        order.push('first');
        return nothing;
      });
    });
    await inside;
    const waiting = other.transactWithLocks(['c', 'b'], async (db) => {
      // The first statement is sent with the lock: it is answered once the lock is held.
      await sql`select 1`.execute(db);
      order.push('second');
      return nothing;
    });
    await one.transactWithLocks(['d'], async () => {
      order.push('unrelated');
      return nothing;
    });
    finish();
    await waiting;
    expect(order).toEqual(['unrelated', 'first', 'second']);
  });

  test('see the commits of earlier ones: of 100 read-modify-writes none is lost or retried', async () => {
    const [one, other] = await twoHandles();
    await one.transact([], (tx) => tx.insertInto('ledger_entry').values(entry('hot')).execute());
    let runs = 0;
    const increment = (database: typeof one) =>
      database.transactWithLocks(['hot'], async (db) => {
        runs++;
        const row = await db.selectFrom('ledger_entry').select('amount_nano_usd').executeTakeFirstOrThrow();
        const write = db.updateTable('ledger_entry').set({ amount_nano_usd: row.amount_nano_usd + 1n });
        return { result: undefined, writes: [write.compile()] };
      });
    await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        untilAvailable(() => increment(index % 2 === 0 ? one : other)),
      ),
    );
    const row = await one.query.selectFrom('ledger_entry').select('amount_nano_usd').executeTakeFirst();
    expect([runs, row]).toEqual([100, { amount_nano_usd: 101n }]);
  });

  test('that take the same locks in different orders all succeed', async () => {
    const handles = await twoHandles();
    const names = Array.from({ length: 20 }, (_, index) => `name-${index}`);
    const done = await Promise.all(
      Array.from({ length: 100 }, (_, index) => {
        const own = names.toSorted(() => Math.random() - 0.5).slice(0, 10);
        return (handles[index % 2] ?? handles[0]).transactWithLocks(own, async (db) => {
          await sql`select 1`.execute(db);
          return { ...nothing, result: index };
        });
      }),
    );
    expect(done).toHaveLength(100);
  });

  test('write nothing when one of their writes fails, and the connection is used again', async () => {
    const [database] = await twoHandles();
    for (let round = 0; round < 10; round++) {
      const broken = database.transactWithLocks(['a'], async (db) => {
        const insert = (id: string) => db.insertInto('ledger_entry').values(entry(id)).compile();
        return { result: undefined, writes: [insert('b'), insert('b'), insert('c')] };
      });
      await expect(broken).rejects.toThrow('duplicate key');
    }
    expect(await entryIds(database)).toEqual([]);
  });

  test('write nothing when one of their writes has a value that no column can store', async () => {
    const [database] = await twoHandles();
    const broken = database.transactWithLocks(['a'], async (db) => {
      const insert = db.insertInto('ledger_entry').values(entry('a')).compile();
      return { result: undefined, writes: [insert, { ...insert, parameters: [{}] }] };
    });
    await expect(broken).rejects.toThrow(TypeError);
    expect(await entryIds(database)).toEqual([]);
  });

  test('whose connection is lost before the commit are retried and take effect once', async () => {
    const url = await temporaryDatabaseUrl('postgres');
    const proxy = await proxyBefore(url);
    const [database, direct] = [await openDuringTest(proxy.url), await openDuringTest(url)];
    let runs = 0;
    await database.transactWithLocks(['a'], async (db) => {
      if (++runs === 1) {
        proxy.cut();
        proxy.mend();
      }
      await sql`select 1`.execute(db);
      return { result: undefined, writes: [db.insertInto('ledger_entry').values(entry('a')).compile()] };
    });
    expect([runs, await entryIds(direct)]).toEqual([2, ['a']]);
  });

  test('whose commit gets no answer fail as unknown, and are not retried', async () => {
    const url = await temporaryDatabaseUrl('postgres');
    const proxy = await proxyBefore(url);
    const [database, direct] = [await openDuringTest(proxy.url), await openDuringTest(url)];
    let runs = 0;
    const writing = database.transactWithLocks(['a'], async (db) => {
      runs++;
      await sql`select 1`.execute(db);
      proxy.swallowAnswerTo('commit');
      return { result: undefined, writes: [db.insertInto('ledger_entry').values(entry('a')).compile()] };
    });
    await expect(writing).rejects.toMatchObject({ reason: 'database_unavailable' });
    await waitFor(async () => expect(await entryIds(direct)).toEqual(['a']));
    expect(runs).toBe(1);
  });
});

describe.runIf(hasPostgres())('a process on another machine', () => {
  /** A process that does not know the state of any lease by itself. */
  async function remoteProcess(url: string, id: string) {
    const engine = await openPostgres(url);
    const client = new Client(url);
    client.on('error', () => {});
    await client.connect();
    const leases = new PostgresLeases(engine.reader, { id, statusOf: () => 'unknown', end: () => {} });
    await leases.acquire(client);
    const end = async () => {
      await client.end().catch(() => {});
      await engine.close();
    };
    onTestFinished(end);
    return { leases, client, end };
  }

  test('has lost its lease some seconds after its end, never before', async () => {
    const url = await temporaryDatabaseUrl('postgres');
    const [one, other, third] = await Promise.all(
      ['one', 'other', 'third'].map((id) => remoteProcess(url, id)),
    );
    if (one === undefined || other === undefined || third === undefined)
      throw new Error('there must be three processes');
    const look = async () => [...(await one.leases.lostLeases(['other', 'third', 'unheard-of']))].sort();
    expect(await look()).toEqual([]);
    await other.client.end();
    expect(await look()).toEqual([]);
    await vi.waitFor(async () => expect(await look()).toEqual(['other', 'unheard-of']), {
      timeout: 15_000,
      interval: 500,
    });
  });

  test('keeps its lease when it reconnects, and while the other process was disconnected itself', async () => {
    const url = await temporaryDatabaseUrl('postgres');
    const [one, other] = await Promise.all(['one', 'other'].map((id) => remoteProcess(url, id)));
    if (one === undefined || other === undefined) throw new Error('there must be two processes');
    const now = vi.spyOn(performance, 'now');
    onTestFinished(() => now.mockRestore());
    const pass = (timeMs: number) => now.mockReturnValue(timeMs);
    const look = async () => [...(await one.leases.lostLeases(['other']))];
    pass(0);
    await other.client.end();
    await waitFor(async () => expect(await heldBy(url)).toBe(1));
    expect(await look()).toEqual([]);
    pass(4_999);
    expect(await look()).toEqual([]);
    const again = new Client(url);
    await again.connect();
    onTestFinished(() => again.end());
    await other.leases.acquire(again);
    pass(10_000);
    expect(await look()).toEqual([]);
    await again.end();
    await waitFor(async () => expect(await heldBy(url)).toBe(1));
    expect(await look()).toEqual([]);
    one.leases.disconnected();
    pass(20_000);
    expect(await look()).toEqual([]);
    await one.leases.acquire(one.client);
    expect(await look()).toEqual([]);
    pass(25_000);
    expect(await look()).toEqual(['other']);
  });

  test('keeps its lease when only its listening connection is lost', async () => {
    const url = await temporaryDatabaseUrl('postgres');
    const [one, other] = [await remoteProcess(url, 'one'), await openPostgres(url)];
    onTestFinished(() => other.close());
    const now = vi.spyOn(performance, 'now');
    onTestFinished(() => now.mockRestore());
    const look = async (timeMs: number) => {
      now.mockReturnValue(timeMs);
      return [...(await one.leases.lostLeases([other.leaseId]))];
    };
    expect(await look(0)).toEqual([]);
    expect(await look(10_000)).toEqual([]);
    await other.close();
    let timeMs = 10_000;
    await waitFor(async () => {
      timeMs += 10_000;
      expect(await look(timeMs)).toEqual([other.leaseId]);
    });
  });

  /** The leases of remote processes that the server has locks of. */
  async function heldBy(url: string): Promise<number> {
    const client = new Client(url);
    await client.connect();
    const { rows } = await client
      .query<{ count: string }>(
        `select count(distinct objid) as count from pg_locks where locktype = 'advisory'
          and database = (select oid from pg_database where datname = current_database())
          and pid in (select pid from pg_stat_activity where application_name <> 'byway')`,
      )
      .finally(() => client.end());
    return Number(rows[0]?.count);
  }
});
