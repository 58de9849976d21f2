import { beforeAll, describe, expect, test } from 'vitest';
import { MIGRATIONS, type Migration } from '../../src/store/migrations/index.js';
import { openDatabase } from '../../src/store/open.js';
import { buildByway } from '../support/byway.js';
import { startChild } from '../support/child-process.js';
import { DATABASE_KINDS, emptyDatabaseUrl, openDuringTest } from '../support/database.js';
import { entryIds } from './rows.js';

beforeAll(buildByway, 180_000);

describe.each(DATABASE_KINDS)('on %s', (kind) => {
  test('processes that start at once on a new file all succeed, and the migration runs once', async () => {
    const url = await emptyDatabaseUrl(kind);
    const start = (prefix: string) =>
      startChild(new URL('writing-process.mjs', import.meta.url), url, prefix, '3');
    const children = await Promise.all([start('a'), start('b')]);
    expect(await Promise.all(children.map((child) => child.exited))).toEqual([0, 0]);
    expect(await entryIds(await openDuringTest(url))).toEqual(['a0', 'a1', 'a2', 'b0', 'b1', 'b2']);
  });

  test('handles that open a new file at once all succeed', async () => {
    const url = await emptyDatabaseUrl(kind);
    const opened = await Promise.all(Array.from({ length: 5 }, () => openDuringTest(url)));
    for (const database of opened) expect(await entryIds(database)).toEqual([]);
  });

  test('a migration that fails leaves nothing behind, and the next start can go on', async () => {
    const url = await emptyDatabaseUrl(kind);
    const failing: Migration = {
      name: '9999-failing',
      async up(tx) {
        await tx.schema.createTable('half_done').addColumn('id', 'text').execute();
        throw new Error('no more room');
      },
    };
    await expect(openDatabase(url, { migrations: [...MIGRATIONS, failing] })).rejects.toThrow('no more room');
    const database = await openDuringTest(url);
    const tables = await database.query.introspection.getTables();
    expect(tables.map((table) => table.name)).toContain('api_key');
    expect(tables.map((table) => table.name)).not.toContain('half_done');
  });

  test('a database that a newer version has written is not opened', async () => {
    const url = await emptyDatabaseUrl(kind);
    const later: Migration = { name: '9999-later', up: async () => {} };
    await (await openDatabase(url, { migrations: [...MIGRATIONS, later] })).close();
    await expect(openDatabase(url)).rejects.toThrow(
      'newer version of Byway (it has had migration 9999-later)',
    );
  });
});
