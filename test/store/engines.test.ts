import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import type { Database } from '../../src/store/database/database.js';
import { openDatabase } from '../../src/store/open.js';
import { startChild } from '../support/child-process.js';
import {
  DATABASE_KINDS,
  openDuringTest,
  optionsFor,
  temporaryDatabaseUrl,
  withDatabase,
} from '../support/database.js';
import { entry, entryIds } from './rows.js';
import { untilAvailable } from './until-available.js';

describe.each(DATABASE_KINDS)('on %s', (kind) => {
  describe('integers', () => {
    test('money keeps every digit, also in sums; every other integer is a number', async () => {
      const database = await withDatabase(kind);
      const amount = 2n ** 53n + 1n;
      await database.transact([], async (tx) => {
        await tx
          .insertInto('ledger_entry')
          .values(entry('a', { amount_nano_usd: amount }))
          .execute();
        await tx
          .insertInto('ledger_entry')
          .values(entry('b', { amount_nano_usd: -3n }))
          .execute();
      });
      const rows = await database.query.selectFrom('ledger_entry').selectAll().orderBy('id').execute();
      expect(rows[0]).toEqual(entry('a', { amount_nano_usd: amount }));
      const sums = await database.query
        .selectFrom('ledger_entry')
        .select((eb) => [
          eb.fn.sum<bigint>('amount_nano_usd').as('sum_nano_usd'),
          eb.fn.countAll<number>().as('rows'),
        ])
        .executeTakeFirstOrThrow();
      expect(sums).toEqual({ sum_nano_usd: amount - 3n, rows: 2 });
      const { count } = await database.query
        .selectFrom('ledger_entry')
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow();
      expect(count).toBe(2);
    });

    test('more statements than can be prepared all work', async () => {
      const database = await withDatabase(kind);
      for (let round = 0; round < 2; round++) {
        for (let index = 0; index < 600; index++) {
          const { rows } = await sql<{ n: number }>`select ${sql.lit(index)} as n`.execute(database.query);
          expect(rows).toEqual([{ n: index }]);
        }
      }
    });
  });

  test('texts are ordered and compared by their bytes', async () => {
    const database = await withDatabase(kind);
    const ids = ['b', 'B', 'a', 'A', '_', 'ä', '-', '~', 'ab', 'a b', '\u{1F600}', '\uFF5E'];
    await database.transact([], (tx) =>
      tx
        .insertInto('ledger_entry')
        .values(ids.map((id) => entry(id)))
        .execute(),
    );
    const sorted = ids.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    expect(await entryIds(database)).toEqual(sorted);
    const after = await database.query
      .selectFrom('ledger_entry')
      .select('id')
      .where('id', '>', 'B')
      .orderBy('id')
      .execute();
    expect(after.map(({ id }) => id)).toEqual(sorted.slice(sorted.indexOf('B') + 1));
  });

  describe('transactions', () => {
    test('a transaction that throws leaves nothing behind and bumps no revision', async () => {
      const database = await withDatabase(kind);
      let heard = 0;
      database.onChange('identity', () => heard++);
      const failing = database.transact(['identity'], async (tx) => {
        await tx.insertInto('ledger_entry').values(entry('a')).execute();
        throw new Error('second thoughts');
      });
      await expect(failing).rejects.toThrow('second thoughts');
      expect(await entryIds(database)).toEqual([]);
      const revision = await database.query.selectFrom('revision').select('value').distinct().execute();
      expect(revision).toEqual([{ value: 0 }]);
      expect(heard).toBe(0);
      await database.transact([], (tx) => tx.insertInto('ledger_entry').values(entry('b')).execute());
      expect(await entryIds(database)).toEqual(['b']);
    });

    test('of 100 concurrent read-modify-writes none is lost', async () => {
      const database = await withDatabase(kind);
      await database.transact([], (tx) =>
        tx
          .insertInto('ledger_entry')
          .values(entry('a', { amount_nano_usd: 0n }))
          .execute(),
      );
      const increment = () =>
        database.transact([], async (tx) => {
          const row = await tx.selectFrom('ledger_entry').select('amount_nano_usd').executeTakeFirstOrThrow();
          await sleep(0);
          await tx
            .updateTable('ledger_entry')
            .set({ amount_nano_usd: row.amount_nano_usd + 1n })
            .execute();
        });
      await Promise.all(Array.from({ length: 100 }, () => untilAvailable(increment)));
      const row = await database.query
        .selectFrom('ledger_entry')
        .select('amount_nano_usd')
        .executeTakeFirstOrThrow();
      expect(row.amount_nano_usd).toBe(100n);
    });

    test('of transactions that insert only into an empty table, one inserts (no write skew)', async () => {
      const url = await temporaryDatabaseUrl(kind);
      const handles = [await openDuringTest(url), await openDuringTest(url)];
      const beFirst = (database: Database, id: string) =>
        database.transact([], async (tx) => {
          const taken = await tx.selectFrom('ledger_entry').select('id').executeTakeFirst();
          if (taken === undefined) await tx.insertInto('ledger_entry').values(entry(id)).execute();
        });
      await Promise.all(
        handles.flatMap((database, n) => ['a', 'b', 'c'].map((id) => beFirst(database, `${n}${id}`))),
      );
      expect(await entryIds(handles[0] as Database)).toHaveLength(1);
    });

    test('a reader sees the last commit while a write transaction is open, without waiting', async () => {
      const database = await withDatabase(kind);
      await database.transact([], async (tx) => {
        await tx.insertInto('ledger_entry').values(entry('a')).execute();
        expect(await entryIds(database)).toEqual([]);
      });
      expect(await entryIds(database)).toEqual(['a']);
    });

    test('writing outside of a write transaction is refused', async () => {
      const database = await withDatabase(kind);
      await expect(database.query.insertInto('ledger_entry').values(entry('a')).execute()).rejects.toThrow();
      await expect(database.query.transaction().execute(async () => {})).rejects.toThrow('Database.transact');
      expect(await entryIds(database)).toEqual([]);
    });

    test('foreign keys hold', async () => {
      const database = await withDatabase(kind);
      const orphan = database.transact([], (tx) =>
        tx
          .insertInto('client')
          .values({
            id: 'c',
            account_id: 'nobody',
            name: 'n',
            secret_hash: 's',
            created_at: 1,
            deleted_at: null,
          })
          .execute(),
      );
      await expect(orphan).rejects.toThrow(/foreign key/i);
    });

    test('waiting for the write transaction of another handle does not block the event loop', async () => {
      const url = await temporaryDatabaseUrl(kind);
      const [one, other] = [await openDuringTest(url), await openDuringTest(url)];
      let second: Promise<unknown> = Promise.resolve();
      await one.transact([], async (tx) => {
        second = other.transact([], (tx) => tx.insertInto('ledger_entry').values(entry('b')).execute());
        await sleep(50);
        await tx.insertInto('ledger_entry').values(entry('a')).execute();
      });
      await second;
      expect(await entryIds(one)).toEqual(['a', 'b']);
    });
  });

  describe('durability', () => {
    test('what was committed survives kill -9 of the process', async () => {
      const url = await temporaryDatabaseUrl(kind);
      const child = startChild(new URL('writing-process.ts', import.meta.url), url, 'row', '1000000');
      const committed: string[] = [];
      for await (const id of child.lines) {
        committed.push(id);
        if (committed.length === 200) child.process.kill('SIGKILL');
      }
      expect(await child.exited).toBe(null);
      expect(committed.length).toBeGreaterThanOrEqual(200);
      const survivors = new Set(await entryIds(await openDuringTest(url)));
      expect(committed.filter((id) => !survivors.has(id))).toEqual([]);
    });
  });

  describe('opening', () => {
    test('closing waits for the write transaction that is running', async () => {
      const url = await temporaryDatabaseUrl(kind);
      const database = await openDatabase(url, optionsFor(url));
      const writing = database.transact([], async (tx) => {
        await sleep(20);
        await tx.insertInto('ledger_entry').values(entry('a')).execute();
      });
      await database.close();
      await writing;
      expect(await entryIds(await openDuringTest(url))).toEqual(['a']);
    });
  });
});
