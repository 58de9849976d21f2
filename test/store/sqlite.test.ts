import { statSync } from 'node:fs';
import Sqlite from 'better-sqlite3';
import { sql } from 'kysely';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../../src/store/open.js';
import { openDuringTest, temporaryDatabaseUrl } from '../support/database.js';
import { entry, entryIds } from './rows.js';

describe('durability', () => {
  test.each(['NORMAL', 'FULL'] as const)(
    'synchronous %s is what the connection uses',
    async (synchronous) => {
      const database = await openDatabase(await temporaryDatabaseUrl('sqlite'), { synchronous });
      const { rows } = await sql`pragma synchronous`.execute(database.query);
      expect(rows).toEqual([{ synchronous: synchronous === 'NORMAL' ? 1 : 2 }]);
      await database.close();
    },
  );
});

describe('whether it can be written', () => {
  test('is told without a write, however often anybody asks', async () => {
    const url = await temporaryDatabaseUrl('sqlite');
    const database = await openDuringTest(url);
    const file = url.slice('sqlite:'.length);
    const written = () => [file, `${file}-wal`].map((path) => [statSync(path).size, statSync(path).mtimeMs]);
    const before = written();
    for (let asked = 0; asked < 50; asked++) await database.ping();
    expect(written()).toEqual(before);
    await database.transact([], (tx) => tx.insertInto('ledger_entry').values(entry('a')).execute());
    expect(written()).not.toEqual(before);
  });

  test('is not while another program holds the lock for writing, and is again once that has ended', async () => {
    const url = await temporaryDatabaseUrl('sqlite');
    const database = await openDuringTest(url);
    const shell = new Sqlite(url.slice('sqlite:'.length));
    onTestFinished(() => void shell.close());
    const isWritable = () =>
      database.ping().then(
        () => true,
        ({ reason }: { reason?: string }) => reason,
      );
    const patience = { timeout: 10_000 };
    shell.exec('BEGIN IMMEDIATE');
    // A command beside a server holds it for a moment, which is no reason to leave the balancer.
    expect(await isWritable()).toBe(true);
    await expect.poll(isWritable, patience).toBe('database_unavailable');
    // A write that waits for the lock is no proof either.
    const waiting = database.transact([], (tx) => tx.insertInto('ledger_entry').values(entry('a')).execute());
    expect(await isWritable()).toBe('database_unavailable');
    shell.exec('ROLLBACK');
    await waiting;
    expect(await isWritable()).toBe(true);
  });
});

describe('opening', () => {
  test('a memory database is migrated and private', async () => {
    const [one, other] = [await openDuringTest('sqlite::memory:'), await openDuringTest('sqlite::memory:')];
    await one.transact([], (tx) => tx.insertInto('ledger_entry').values(entry('a')).execute());
    expect(await entryIds(one)).toEqual(['a']);
    expect(await entryIds(other)).toEqual([]);
  });

  test.each(['', 'sqlite:', 'byway.db', 'mysql://user:hunter2@host/db'])(
    'the URL %j is refused',
    async (url) => {
      const refused = openDatabase(url);
      await expect(refused).rejects.toThrow('database URL must start with sqlite:');
      await expect(refused).rejects.not.toThrow('hunter2');
    },
  );
});
