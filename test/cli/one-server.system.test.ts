import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { openEngine } from '../../src/store/open.js';
import { buildByway, byway, emptyDataDir, inProcess, spawnByway } from '../support/byway.js';

beforeAll(buildByway, 180_000);

/** The settings of an installation on SQLite that does not exist yet. */
function onSqlite(dataDir = emptyDataDir()) {
  return { BYWAY_DATA_DIR: dataDir, HOST: '127.0.0.1', PORT: '0', BYWAY_LOG_LEVEL: 'info' };
}

/** A server in a process of its own, once it listens. */
async function serving(env: Readonly<Record<string, string>>) {
  const server = spawnByway(['serve'], env);
  await vi.waitFor(
    () => {
      if (!server.stdout().includes('listening at')) throw new Error(server.stdout() + server.stderr());
    },
    { timeout: 30_000, interval: 50 },
  );
  return server;
}

describe('one process serves from a SQLite file', () => {
  it('a second one is refused in one line that names the file and the first', async () => {
    const env = onSqlite();
    const first = await serving(env);
    const file = join(env.BYWAY_DATA_DIR, 'byway.db');
    const sameFile = { ...env, BYWAY_DATABASE_URL: `sqlite:${env.BYWAY_DATA_DIR}/../data/byway.db` };
    for (const [second, named] of [
      [await byway(['serve'], env), file],
      [await byway(['serve'], sameFile), `${env.BYWAY_DATA_DIR}/../data/byway.db`],
    ] as const) {
      expect(second).toEqual({
        code: 1,
        stdout: '',
        stderr:
          `byway: BYWAY_DATABASE_URL: process ${first.process.pid} on ${hostname()} serves from ${named} already; ` +
          'stop it first, or use PostgreSQL, from which several can serve\n',
      });
    }
    expect(first.process.exitCode).toBe(null);
    for (const command of [['account', 'create', '--name', 'A'], ['db', 'check'], ['doctor']]) {
      expect((await inProcess(command, env)).code, command.join(' ')).toBe(0);
    }
    expect((await byway(['serve'], env)).code).toBe(1);
  }, 120_000);

  it('the next one serves as soon as the first has ended, however it ended', async () => {
    const env = onSqlite();
    for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
      const server = await serving(env);
      server.process.kill(signal);
      await once(server.process, 'exit');
      expect(existsSync(join(env.BYWAY_DATA_DIR, 'byway.db.instance.json'))).toBe(signal === 'SIGKILL');
    }
    await serving(env);
  }, 120_000);
});

describe('the files of a SQLite database', () => {
  const modes = (folder: string) =>
    Object.fromEntries(
      readdirSync(folder).map((name) => [name, (statSync(join(folder, name)).mode & 0o777).toString(8)]),
    );

  it('are for this user alone, and so is the folder that is made for them', async () => {
    const env = onSqlite();
    const server = await serving(env);
    const found = modes(env.BYWAY_DATA_DIR);
    expect(new Set(Object.values(found))).toEqual(new Set(['600']));
    expect(found).toMatchObject({
      'byway.db': '600',
      'byway.db-shm': '600',
      'byway.db-wal': '600',
      'byway.db.instance.json': '600',
      'byway.db.lock': '600',
      'master.key': '600',
    });
    expect((statSync(env.BYWAY_DATA_DIR).mode & 0o777).toString(8)).toBe('700');
    server.process.kill('SIGTERM');
    await once(server.process, 'exit');
  }, 60_000);

  it('are closed to others where an older version has left them open; a folder that was there stays as it is', async () => {
    const env = onSqlite();
    mkdirSync(env.BYWAY_DATA_DIR);
    chmodSync(env.BYWAY_DATA_DIR, 0o2775);
    const file = join(env.BYWAY_DATA_DIR, 'byway.db');
    writeFileSync(file, '', { mode: 0o644 });
    chmodSync(file, 0o664);
    const engine = await openEngine(`sqlite:${file}`);
    await engine.transact(async () => {});
    for (const suffix of ['', '-wal', '-shm']) chmodSync(`${file}${suffix}`, 0o664);
    const second = await openEngine(`sqlite:${file}`);
    const open = Object.entries(modes(env.BYWAY_DATA_DIR)).filter(([, mode]) => mode !== '600');
    expect(open).toEqual([]);
    expect(statSync(env.BYWAY_DATA_DIR).mode & 0o7777).toBe(0o2775);
    await second.close();
    await engine.close();
  });
});
