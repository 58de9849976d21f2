import { EventEmitter, once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { MIGRATIONS } from '../../src/store/migrations/index.js';
import type { Migration } from '../../src/store/migrations/migration.js';
import { openDatabase } from '../../src/store/open.js';
import { startChild } from '../support/child-process.js';
import {
  DATABASE_KINDS,
  emptyDatabaseUrl,
  openDuringTest,
  optionsFor,
  temporaryDatabaseUrl,
  usualKind,
} from '../support/database.js';
import { entry, entryIds } from './rows.js';

describe.each(DATABASE_KINDS)('on %s', (kind) => {
  test('processes that start concurrently on a new database all succeed, and the migration runs once', async () => {
    const url = await emptyDatabaseUrl(kind);
    const start = (prefix: string) =>
      startChild(new URL('writing-process.ts', import.meta.url), url, prefix, '3');
    const children = [start('a'), start('b')];
    expect(await Promise.all(children.map((child) => child.exited))).toEqual([0, 0]);
    expect(await entryIds(await openDuringTest(url))).toEqual(['a0', 'a1', 'a2', 'b0', 'b1', 'b2']);
  });

  test('handles that open a new database concurrently all succeed', async () => {
    const url = await emptyDatabaseUrl(kind);
    const opened = await Promise.all(Array.from({ length: 5 }, () => openDuringTest(url)));
    for (const database of opened) expect(await entryIds(database)).toEqual([]);
  });

  test('a migration that fails leaves nothing behind, and the next start succeeds', async () => {
    const url = await emptyDatabaseUrl(kind);
    const failing: Migration = {
      name: '9999-failing',
      async up(tx) {
        await tx.schema.createTable('half_done').addColumn('id', 'text').execute();
        throw new Error('no more room');
      },
    };
    await expect(
      openDatabase(url, { ...optionsFor(url), migrations: [...MIGRATIONS, failing] }),
    ).rejects.toThrow('no more room');
    const database = await openDuringTest(url);
    const tables = await database.query.introspection.getTables();
    expect(tables.map((table) => table.name)).toContain('api_key');
    expect(tables.map((table) => table.name)).not.toContain('half_done');
  });

  test('a database of the next version is opened; one that is further ahead is not', async () => {
    const url = await emptyDatabaseUrl(kind);
    const next: Migration = { name: '9998-next', up: async () => {} };
    const later: Migration = { name: '9999-later', up: async () => {} };
    await (await openDatabase(url, { ...optionsFor(url), migrations: [...MIGRATIONS, next] })).close();
    expect(await entryIds(await openDuringTest(url))).toEqual([]);
    await (await openDatabase(url, { ...optionsFor(url), migrations: [...MIGRATIONS, next, later] })).close();
    await expect(openDatabase(url, optionsFor(url))).rejects.toThrow(
      'much newer version of Byway (it has had 9998-next, 9999-later)',
    );
  });
});

test.runIf(usualKind() === 'postgres')(
  'a migration and a transaction that deadlock both succeed',
  async () => {
    const url = await temporaryDatabaseUrl('postgres');
    const serving = await openDuringTest(url);
    const steps = new EventEmitter();
    const [hasWritten, hasLocked] = [once(steps, 'written'), once(steps, 'locked')];
    const adding: Migration = {
      name: '9998-next',
      async up({ schema }) {
        await schema.alterTable('workspace').addColumn('note', 'text').execute();
        steps.emit('locked');
        await schema.alterTable('ledger_entry').addColumn('note', 'text').execute();
      },
    };
    const written = serving.transact([], async (tx) => {
      await tx.insertInto('ledger_entry').values(entry('a')).execute();
      steps.emit('written');
      await hasLocked;
      await tx.updateTable('workspace').set({ name: 'Other' }).execute();
    });
    await hasWritten;
    await (await openDatabase(url, { ...optionsFor(url), migrations: [...MIGRATIONS, adding] })).close();
    await written;
    expect(await entryIds(serving)).toEqual(['a']);
  },
);
