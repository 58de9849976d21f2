import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { serveFrom, temporaryDataDir } from '../endpoint/serving.js';
import { buildByway, byway, documentOf, emptyDataDir, inProcess } from '../support/byway.js';
import { bodyOf, caller, recordOf } from '../support/rest.js';

beforeAll(buildByway, 180_000);

const CHAT = { model: 'demo/echo', messages: [{ role: 'user', content: 'Hello' }] };

/** Chats before the backup, and those that go on meanwhile. */
const CHATS = 50;

function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'byway-backup-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function migrated() {
  const env = { BYWAY_DATA_DIR: emptyDataDir() };
  await inProcess(['db', 'migrate'], env);
  return env;
}

describe('byway db backup', () => {
  it('copies the database beside a server that goes on writing; a server on the copy knows all that was answered before', async () => {
    const dataDir = temporaryDataDir();
    const databaseUrl = `sqlite:${join(dataDir, 'byway.db')}`;
    const env = { BYWAY_DATA_DIR: dataDir, BYWAY_DATABASE_URL: databaseUrl };
    const server = await serveFrom(dataDir, { databaseUrl });
    const { apiKey } = await server.keys;
    const use = caller(server, apiKey);
    const before = bodyOf(await use('POST', '/chat/completions', CHAT));
    const file = join(emptyFolder(), 'backup.db');
    const [ended, ...chats] = await Promise.all([
      byway(['db', 'backup', file, '--json'], env),
      ...Array.from({ length: CHATS }, () => use('POST', '/chat/completions', CHAT)),
    ]);
    expect([ended.code, ended.stderr]).toEqual([0, '']);
    expect(documentOf(ended)).toMatchObject({ file, ok: true, bytes: statSync(file).size });
    expect(chats.filter(({ status }) => status !== 200)).toEqual([]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(file, '..'))).toEqual(['backup.db']);

    const copyEnv = { ...env, BYWAY_DATABASE_URL: `sqlite:${file}` };
    expect(documentOf(await inProcess(['db', 'check', '--json'], copyEnv))).toMatchObject({ ok: true });
    const restored = await serveFrom(dataDir, { databaseUrl: `sqlite:${file}` });
    const answer = await caller(restored, apiKey)('GET', `/generation?id=${before.id}`);
    expect(recordOf(answer)).toMatchObject({ id: before.id });
  }, 120_000);

  it('never overwrites a file, and leaves nothing behind', async () => {
    const env = await migrated();
    const folder = emptyFolder();
    const file = join(folder, 'mine');
    writeFileSync(file, 'precious');
    const ended = await inProcess(['db', 'backup', file], env);
    expect(ended).toEqual({
      code: 1,
      stdout: '',
      stderr: `byway: ${file} exists already; a backup overwrites nothing\n`,
    });
    expect(readFileSync(file, 'utf8')).toBe('precious');
    expect(readdirSync(folder)).toEqual(['mine']);
  });

  it('says which folder is not there', async () => {
    const env = await migrated();
    const { code, stderr } = await inProcess(['db', 'backup', join(emptyFolder(), 'no', 'file')], env);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^byway: FILE: cannot use .*ENOENT\)\n$/)]);
  });

  it('makes no database where there is none', async () => {
    const env = { BYWAY_DATA_DIR: emptyDataDir() };
    const { code, stderr } = await inProcess(['db', 'backup', join(emptyFolder(), 'file')], env);
    expect([code, stderr]).toEqual([
      1,
      'byway: BYWAY_DATABASE_URL: there is no database yet; a start makes it\n',
    ]);
    expect(existsSync(env.BYWAY_DATA_DIR)).toBe(false);
  });

  it('names pg_dump on PostgreSQL, before it connects', async () => {
    const env = { BYWAY_DATABASE_URL: 'postgres://nobody:secret@127.0.0.1:1/nothing' };
    const { code, stderr } = await inProcess(['db', 'backup', join(emptyFolder(), 'file')], env);
    expect([code, stderr]).toEqual([
      1,
      'byway: BYWAY_DATABASE_URL: "byway db backup" is for SQLite; back a PostgreSQL database up with pg_dump\n',
    ]);
  });
});
