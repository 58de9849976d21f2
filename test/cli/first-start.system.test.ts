import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { systemIds } from '../../src/base/ids.js';
import { mintSecret } from '../../src/identity/secret.js';
import {
  BIN,
  buildByway,
  byway,
  documentOf,
  emptyDataDir,
  emptyInstallation,
  inProcess,
  spawnByway,
} from '../support/byway.js';
import { emptyDatabaseUrl, usualKind } from '../support/database.js';
import { send } from '../support/rest.js';

beforeAll(buildByway, 180_000);

const WAIT = { timeout: 30_000, interval: 50 };
const SECRET = /bw-(?:v1|mgmt|op)-[0-9a-f]{64}/g;
const MASTER_KEY = Buffer.alloc(32, 5).toString('base64');

describe('the keys of the first start', () => {
  test('go to a file of its owner alone where standard output is no terminal, and only its path is printed', async () => {
    const env = await environment();
    const server = await serving(env);
    const file = join(env.BYWAY_DATA_DIR, 'first-start.json');
    expect(server.stdout()).toContain(`Its keys are in ${file}, which this user alone can read.`);
    expect(server.stdout() + server.stderr()).not.toMatch(SECRET);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const keys = documentIn(file);
    expect(keys).toEqual({
      account_id: expect.any(String),
      management_key: expect.stringMatching(/^bw-mgmt-/),
      api_key: expect.stringMatching(/^bw-v1-/),
      operator_key: expect.stringMatching(/^bw-op-/),
    });
    await expectWorking(server.url, keys);
    await server.stop();
    expect(temporaryFilesIn(env.BYWAY_DATA_DIR)).toEqual([]);
  }, 60_000);

  test('are printed with --print-keys, and no file has them', async () => {
    const env = await environment();
    const server = await serving(env, '--print-keys');
    const [managementKey, apiKey, operatorKey] = ['management', 'API', 'operator'].map(
      (kind) => new RegExp(`^ {2}${kind} key +(bw-[a-z0-9]+-[0-9a-f]{64})$`, 'm').exec(server.stdout())?.[1],
    );
    await expectWorking(server.url, {
      management_key: managementKey,
      api_key: apiKey,
      operator_key: operatorKey,
    });
    expect(existsSync(join(env.BYWAY_DATA_DIR, 'first-start.json'))).toBe(false);
  }, 60_000);

  test.runIf(process.platform === 'linux')(
    'are printed to a terminal',
    async () => {
      const env = await environment();
      // `script` runs a command on a terminal of its own.
      const child = spawn('script', ['-qefc', `${process.execPath} ${BIN} serve`, '/dev/null'], {
        env: { PATH: process.env.PATH, ...env },
        stdio: ['ignore', 'pipe', 'inherit'],
        detached: true,
      });
      onTestFinished(() => void process.kill(-(child.pid ?? 0), 'SIGKILL'));
      let output = '';
      child.stdout.setEncoding('utf8').on('data', (text) => {
        output += text;
      });
      await vi.waitFor(() => expect(output).toContain('Byway is ready at'), WAIT);
      await vi.waitFor(() => expect(new Set(output.match(SECRET)).size).toBe(3), WAIT);
      expect(existsSync(join(env.BYWAY_DATA_DIR, 'first-start.json'))).toBe(false);
    },
    60_000,
  );

  test('that an aborted start has left are those of the next', async () => {
    const env = await environment();
    const left = {
      account_id: systemIds.uuid(),
      management_key: mintSecret('management_key', systemIds).text,
      api_key: mintSecret('api_key', systemIds).text,
      operator_key: mintSecret('operator_key', systemIds).text,
    };
    mkdirSync(env.BYWAY_DATA_DIR);
    const file = join(env.BYWAY_DATA_DIR, 'first-start.json');
    writeFileSync(file, JSON.stringify(left));
    const server = await serving(env);
    expect(documentIn(file)).toEqual(left);
    await expectWorking(server.url, left);
    const { data } = documentOf(await inProcess(['account', 'list', '--json'], env));
    expect(data).toMatchObject([{ account_id: left.account_id, name: 'Demo' }]);
  }, 60_000);

  test.each<[string, (file: string) => void, RegExp]>([
    ['is a folder', (file) => mkdirSync(file), /cannot read .*first-start\.json: it is a folder \(EISDIR\)$/],
    [
      'is something else',
      (file) => writeFileSync(file, '{}'),
      /first-start\.json is not what a first start has written; move it away$/,
    ],
  ])(
    'fail the start with one line when their file %s, before there is an account',
    async (_, make, expected) => {
      const env = await environment();
      mkdirSync(env.BYWAY_DATA_DIR);
      make(join(env.BYWAY_DATA_DIR, 'first-start.json'));
      const { code, stderr } = await byway(['serve'], env);
      expect([code, stderr.split('\n')]).toEqual([1, [expect.stringMatching(expected), '']]);
      expect(stderr).toMatch(/^byway: BYWAY_DATA_DIR: /);
      expect(documentOf(await inProcess(['account', 'list', '--json'], env)).total_count).toBe(0);
      expect(documentOf(await inProcess(['operator-key', 'list', '--json'], env)).total_count).toBe(0);
    },
    60_000,
  );

  test.runIf(usualKind() === 'postgres')(
    'are only where they open something, when several machines start at once',
    async () => {
      const shared = { BYWAY_DATABASE_URL: await emptyDatabaseUrl('postgres'), BYWAY_MASTER_KEY: MASTER_KEY };
      const machines = [1, 2, 3].map(() => ({ ...HERE, ...shared, BYWAY_DATA_DIR: emptyDataDir() }));
      const servers = await Promise.all(machines.map((env) => serving(env)));
      const files = machines.map((env) => join(env.BYWAY_DATA_DIR, 'first-start.json')).filter(existsSync);
      expect(files).toHaveLength(1);
      for (const { url } of servers) await expectWorking(url, documentIn(files[0] ?? ''));
    },
    60_000,
  );
});

test('every start says that it is ready, in one line with its address', async () => {
  const env = await environment();
  for (const start of ['the first', 'a later one']) {
    const server = await serving(env);
    const ready = server.lines().filter(({ msg }) => msg.startsWith('Byway is ready at '));
    const url = expect.stringMatching(/^http:\/\/localhost:\d+$/);
    expect([start, ready]).toEqual([start, [expect.objectContaining({ url, level: 30 })]]);
    await server.stop();
  }
}, 60_000);

test('an unknown variable is warned of, with the nearest name; those of Kubernetes are not', async () => {
  const server = await serving({
    ...(await environment()),
    BYWAY_LOGLEVEL: 'debug',
    BYWAY_PORT: 'tcp://10.0.0.7:80',
    BYWAY_PORT_80_TCP: 'tcp://10.0.0.7:80',
    BYWAY_PORT_80_TCP_ADDR: '10.0.0.7',
    BYWAY_PORT_80_TCP_PORT: '80',
    BYWAY_PORT_80_TCP_PROTO: 'tcp',
    BYWAY_SERVICE_HOST: '10.0.0.7',
    BYWAY_SERVICE_PORT: '80',
    BYWAY_SERVICE_PORT_HTTP: '80',
    BYWAY_DB_SERVICE_HOST: '10.0.0.8',
    BYWAY_DB_PORT: 'tcp://10.0.0.8:5432',
  });
  const warned = server.lines().filter(({ msg }) => msg === 'nothing reads this variable');
  expect(warned).toMatchObject([{ level: 40, variable: 'BYWAY_LOGLEVEL', nearest: 'BYWAY_LOG_LEVEL' }]);
}, 60_000);

test('region hosts without BYWAY_HOSTS are warned of', async () => {
  const regions = { ...(await environment()), BYWAY_REGION_HOSTS: 'eu.example.com=eu' };
  const warned = (server: Awaited<ReturnType<typeof serving>>) =>
    server
      .lines()
      .filter(({ msg }) => String(msg).startsWith('BYWAY_REGION_HOSTS is set and BYWAY_HOSTS is not'));
  expect(warned(await serving(regions))).toMatchObject([{ level: 40, regionHosts: ['eu.example.com'] }]);
  const bounded = { ...regions, ...(await environment()), BYWAY_HOSTS: 'ai.example.com' };
  expect(warned(await serving(bounded))).toEqual([]);
}, 60_000);

const HERE = { HOST: '127.0.0.1', PORT: '0' };

async function environment() {
  return { ...HERE, ...(await emptyInstallation()) };
}

/** A server of its own process, once it is ready. */
async function serving(env: Readonly<Record<string, string>>, ...options: string[]) {
  const server = spawnByway(['serve', ...options], env);
  const lines = (): { msg: string; url?: string }[] =>
    server
      .stdout()
      .split('\n')
      .filter((line) => line.startsWith('{') && line.endsWith('}'))
      .map((line) => JSON.parse(line));
  const url = await vi.waitFor(() => {
    const ready = lines().find(({ msg }) => msg.startsWith('Byway is ready at '))?.url;
    if (ready === undefined) throw new Error(`not ready: ${server.stdout()}${server.stderr()}`);
    return ready;
  }, WAIT);
  const stop = async () => {
    server.process.kill('SIGTERM');
    await once(server.process, 'exit');
  };
  return { ...server, lines, url: url.replace('localhost', '127.0.0.1'), stop };
}

async function expectWorking(url: string, keys: Readonly<Record<string, string | undefined>>) {
  for (const [name, path] of [
    ['management_key', '/api/v1/keys'],
    ['api_key', '/api/v1/key'],
    ['operator_key', '/metrics'],
  ] as const) {
    const headers = { authorization: `Bearer ${keys[name]}` };
    expect([name, (await send(url + path, 'GET', { headers })).status]).toEqual([name, 200]);
  }
}

function documentIn(file: string) {
  return JSON.parse(readFileSync(file, 'utf8'));
}

function temporaryFilesIn(folder: string): string[] {
  return readdirSync(folder).filter((name) => name.endsWith('.tmp'));
}
