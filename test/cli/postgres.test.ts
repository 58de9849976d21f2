import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { DEFAULT_CATALOG_FILE } from '../../src/catalog/default.js';
import { documentOf, emptyDataDir, inProcess } from '../support/byway.js';
import { emptyDatabaseUrl, usualKind } from '../support/database.js';

const MASTER_KEY = Buffer.alloc(32, 1).toString('base64');

function environment(url: string) {
  return { BYWAY_DATA_DIR: emptyDataDir(), BYWAY_DATABASE_URL: url, BYWAY_MASTER_KEY: MASTER_KEY };
}

describe('a PostgreSQL database that cannot be used', () => {
  it.each([
    ['serve', []],
    ['db', ['check']],
    ['account', ['create', '--name', 'A']],
  ])('stops %s with one line that names the variable and holds no password', async (command, rest) => {
    const env = environment('postgres://byway:hunter2@127.0.0.1:1/nowhere');
    const { code, stdout, stderr } = await inProcess([command, ...rest], env);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toBe(
      'byway: BYWAY_DATABASE_URL: nothing listens at 127.0.0.1:1: is PostgreSQL running, and are host and port right?\n',
    );
  });

  it('fails the checks of the doctor that need it', async () => {
    const { code, stdout } = await inProcess(['doctor'], environment('postgres://u:hunter2@127.0.0.1:1/d'));
    expect(code).toBe(1);
    expect(stdout).toContain('nothing listens at 127.0.0.1:1: is PostgreSQL running');
    expect(stdout).not.toContain('hunter2');
  });

  it.runIf(usualKind() === 'postgres')('that does not exist is named in the message', async () => {
    const url = new URL(await emptyDatabaseUrl('postgres'));
    url.pathname = '/nowhere';
    const { code, stderr } = await inProcess(['db', 'migrate'], environment(url.href));
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(
        /^byway: BYWAY_DATABASE_URL: there is no database "nowhere" at socket \S+: create it .*\n$/,
      ),
    ]);
  });
});

describe.runIf(usualKind() === 'postgres')('the commands of the database on PostgreSQL', () => {
  it('tell what an empty one lacks, migrate it once, and find it sound', async () => {
    const env = environment(await emptyDatabaseUrl('postgres'));
    const before = await inProcess(['db', 'check'], env);
    expect([before.code, before.stdout]).toEqual([1, expect.stringContaining('lacks migration 0001-')]);
    const doctor = await inProcess(['doctor'], env);
    expect(doctor.stdout).toContain('the next start applies 0001-');

    const { applied } = documentOf(await inProcess(['--json', 'db', 'migrate'], env));
    expect(applied[0]).toMatch(/^0001-/);
    expect(documentOf(await inProcess(['--json', 'db', 'migrate'], env))).toEqual({ applied: [] });

    expect((await inProcess(['account', 'create', '--name', 'A'], env)).code).toBe(0);
    const after = await inProcess(['db', 'check'], env);
    expect([after.code, after.stderr]).toEqual([0, '']);
    expect((await inProcess(['doctor'], env)).stdout).toContain('takes writes, its schema up to date');
  });

  it('warn of a master key that only this machine has, and refuse to make another one', async () => {
    const url = await emptyDatabaseUrl('postgres');
    const { BYWAY_MASTER_KEY: _, ...first } = environment(url);
    const imported = await inProcess(['catalog', 'import', fileURLToPath(DEFAULT_CATALOG_FILE)], first);
    expect([imported.code, imported.stderr]).toEqual([0, expect.stringContaining('created the master key')]);
    const stored = await inProcess(['provider', 'set-key', 'openai'], first, 'sk-abcdefghijklmnop');
    expect([stored.code, stored.stderr]).toEqual([0, '']);
    const doctor = await inProcess(['doctor'], first);
    expect(doctor.stdout).toMatch(/^warn {2}master key (?:.*\n){1,2}.*every machine on this database needs/m);
    expect(doctor.code).toBe(0);

    const second = { ...first, PORT: '0', BYWAY_DATA_DIR: emptyDataDir() };
    const { code, stderr } = await inProcess(['serve'], second);
    expect([code, stderr]).toEqual([1, expect.stringContaining('is missing, but credentials are stored')]);
    expect(existsSync(join(second.BYWAY_DATA_DIR, 'master.key'))).toBe(false);
  });
});
