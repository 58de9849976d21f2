import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, expect, test, vi } from 'vitest';
import { buildByway, byway, documentOf, emptyInstallation, inProcess, spawnByway } from '../support/byway.js';
import { demoModel, demoProvider, testCatalog } from '../support/catalog.js';
import { usualKind } from '../support/database.js';
import { startLocalServer } from '../support/fakes/local-servers.js';

beforeAll(buildByway, 180_000);

const WAIT = { timeout: 30_000, interval: 50 };

test('a running server notices what the commands do', async () => {
  const env = { ...(await emptyInstallation()), HOST: '127.0.0.1', PORT: '0' };
  const server = await serving(env);
  const { apiKey, managementKey } = await keysOf(server);
  // The commands run in a process that is not the server's, which is what matters here: this one.
  const run = async (...args: string[]) => documentOf(await inProcess([...args, '--json'], env));

  const account = await run('account', 'create', '--name', 'Acme');
  const id: string = account.account_id;
  const key = await run('key', 'create', '--account', id, '--name', 'K');
  const second = await run('management-key', 'create', '--account', id);
  const operator = await run('operator-key', 'create');
  await addByokKey(server.url, managementKey);
  const rotated = await run('vault', 'rotate');
  await run('account', 'credit', id, '3');
  expect(rotated).toMatchObject({ rewrapped_count: 1, unreadable: [] });
  const get = (path: string, secret: string) => call(server.url, path, secret);
  await vi.waitFor(async () => {
    expect(await get('/keys', account.management_key)).toMatchObject({
      status: 200,
      body: { total_count: 1 },
    });
    expect(await get('/keys', second.management_key)).toMatchObject({ status: 200 });
    expect(await get('/key', key.key)).toMatchObject({ status: 200, body: { data: { hash: key.hash } } });
    expect(await scrape(server.url, operator.operator_key)).toBe(200);
    expect(await get('/credits', second.management_key)).toMatchObject({
      body: { data: { total_credits: 3 } },
    });
  }, WAIT);
  expect(await chat(server.url, apiKey)).toMatchObject({ usage: { is_byok: true } });

  const file = join(dirname(env.BYWAY_DATA_DIR), 'more.json');
  const needy = demoProvider('needy', { adapter: 'openai' });
  writeFileSync(file, JSON.stringify({ providers: [needy], models: [demoModel('test/new', ['needy'])] }));
  const merged = await run('catalog', 'import', file, '--merge');
  expect(merged).toMatchObject({ models: 1, retired: [] });
  const setting = byway(['provider', 'set-key', 'needy'], env, 'sk-abcdefghijklmnop');
  await run('management-key', 'revoke', second.hash, '--account', id);
  await run('operator-key', 'revoke', operator.hash);
  await run('key', 'disable', key.hash);
  await setting;
  await vi.waitFor(async () => {
    expect(await get('/keys', second.management_key)).toMatchObject({ status: 401 });
    expect(await scrape(server.url, operator.operator_key)).toBe(401);
    expect(await get('/key', key.key)).toMatchObject({
      status: 401,
      body: { error: { message: 'API key is disabled' } },
    });
    const route = await call(server.url, '/routing/explain', apiKey, { model: 'test/new' });
    expect(route).toMatchObject({ body: { data: { attempts: [{ provider: 'needy' }] } } });
  }, WAIT);
  server.process.kill('SIGTERM');
  expect(await once(server.process, 'exit')).toEqual([0, null]);
}, 120_000);

test('what provider add has added is served by a running server when the command ends', async () => {
  const env = { ...(await emptyInstallation()), HOST: '127.0.0.1', PORT: '0' };
  const server = await serving(env);
  const { apiKey } = await keysOf(server);
  const { url } = await startLocalServer('vllm');
  // More than once, since a server that looks for changes now and then may do so just in time.
  for (const slug of ['first', 'second', 'third']) {
    documentOf(await inProcess(['provider', 'add', slug, '--url', url, '--no-key', '--json'], env));
    const asked = { model: `${slug}/Llama-3.2-1B-Instruct`, messages: [{ role: 'user', content: 'Hello' }] };
    expect(await call(server.url, '/chat/completions', apiKey, asked)).toMatchObject({ status: 200 });
  }
}, 120_000);

test('of servers that start at once on an empty folder one makes the demo account, and on a database server both serve', async () => {
  const env = { ...(await emptyInstallation()), HOST: '127.0.0.1', PORT: '0' };
  const start = () => spawnByway(['serve', '--print-keys'], env);
  const servers = await startedOf([start(), start()]);
  expect(servers).toHaveLength(usualKind() === 'sqlite' ? 1 : 2);
  const { apiKey, managementKey } = await Promise.any(servers.map(keysOf));
  for (const { url } of servers) {
    await vi.waitFor(async () => {
      expect(await call(url, '/models/user?limit=1', apiKey)).toMatchObject({ status: 200 });
      expect(await call(url, '/keys', managementKey)).toMatchObject({ body: { total_count: 1 } });
      expect(await call(url, '/credits', managementKey)).toMatchObject({
        body: { data: { total_credits: 10 } },
      });
    }, WAIT);
  }
}, 120_000);

test('a start that fails says why in one line, and makes no account whose keys nobody sees', async () => {
  const taken = new URL(
    (await serving({ ...(await emptyInstallation()), HOST: '127.0.0.1', PORT: '0' })).url,
  );
  const env = { ...(await emptyInstallation()), HOST: '127.0.0.1', BYWAY_LOG_LEVEL: 'error' };
  const file = join(dirname(env.BYWAY_DATA_DIR), 'bad.json');
  writeFileSync(file, JSON.stringify({ ...testCatalog(), providers: [{ slug: 'a' }] }));
  const elsewhere = { ...env, ...(await emptyInstallation()) };
  const [port, setting, masterKey] = await Promise.all([
    byway(['serve'], { ...env, PORT: taken.port }),
    byway(['serve'], { ...env, PORT: 'http' }),
    byway(['serve'], { ...elsewhere, PORT: '0', BYWAY_MASTER_KEY: 'c2hvcnQ=' }),
  ]);
  // Afterwards: from a SQLite file only one can even begin to serve.
  const catalog = await byway(['serve'], { ...env, PORT: '0', BYWAY_CATALOG: file });
  const failed = (stderr: string) => ({ code: 1, stdout: '', stderr });
  expect(port).toEqual(
    failed(`byway: PORT: ${taken.port} on 127.0.0.1 is already in use by another process\n`),
  );
  expect(setting).toEqual(failed('byway: PORT must be an integer from 0 to 65535\n'));
  expect(masterKey).toEqual(failed('byway: BYWAY_MASTER_KEY: must be 32 bytes in base64, but has 5 bytes\n'));
  expect(catalog.stderr).toMatch(
    /^byway: BYWAY_CATALOG: .*bad\.json has \d+ errors, the first: providers\[0\].*\n$/,
  );
  expect(existsSync(env.BYWAY_DATA_DIR)).toBe(true);
  const later = await serving({ ...env, PORT: '0', BYWAY_LOG_LEVEL: 'info' });
  const { apiKey } = await keysOf(later);
  expect(await call(later.url, '/key', apiKey)).toMatchObject({ status: 200 });
}, 120_000);

type Running = ReturnType<typeof spawnByway>;

/** Those of the servers that serve, once the others have ended. */
async function startedOf(servers: readonly Running[]): Promise<(Running & { url: string })[]> {
  const started = servers.map(async (server) => ({ ...server, url: await printed(server, LISTENING) }));
  const ended = servers.map(({ process }) => once(process, 'exit').then(() => undefined));
  const outcomes = servers.map((_, index) => Promise.race([started[index], ended[index]]));
  return (await Promise.all(outcomes)).filter((server) => server !== undefined);
}

const LISTENING = /listening at (http:\/\/[\d.:]+)/;

/** A server of its own process, once it listens. */
async function serving(env: Readonly<Record<string, string>>): Promise<Running & { url: string }> {
  const server = spawnByway(['serve', '--print-keys'], env);
  return { ...server, url: await printed(server, LISTENING) };
}

/** The keys that the first start prints. */
async function keysOf(server: Running) {
  return {
    apiKey: await printed(server, /^ {2}API key +(bw-v1-[0-9a-f]{64})$/m),
    managementKey: await printed(server, /^ {2}management key +(bw-mgmt-[0-9a-f]{64})$/m),
  };
}

function printed(server: Running, pattern: RegExp): Promise<string> {
  return vi.waitFor(() => {
    const found = pattern.exec(server.stdout())?.[1];
    if (found === undefined) throw new Error(`not printed: ${pattern}\n${server.stdout()}${server.stderr()}`);
    return found;
  }, WAIT);
}

async function call(url: string, path: string, secret: string, body?: object) {
  const answer = await fetch(`${url}/api/v1${path}`, {
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: await answer.json() };
}

async function scrape(url: string, secret: string): Promise<number> {
  const answer = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${secret}` } });
  await answer.text();
  return answer.status;
}

async function addByokKey(url: string, managementKey: string): Promise<void> {
  const key = { provider: 'demo', key: 'demo-my-own-key', name: 'Mine' };
  expect(await call(url, '/byok', managementKey, key)).toMatchObject({ status: 201 });
}

async function chat(url: string, apiKey: string) {
  const messages = [{ role: 'user', content: 'Hello' }];
  return (await call(url, '/chat/completions', apiKey, { model: 'demo/echo', messages })).body;
}
