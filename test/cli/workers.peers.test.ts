import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { connectHttp2, selfSigned, stream } from '../server/support.js';
import { buildByway, byway, emptyDataDir, spawnByway } from '../support/byway.js';
import { emptyDatabaseUrl } from '../support/database.js';
import { hasPostgres } from '../support/postgres/postgres-access.js';
import { readExposition } from '../support/prometheus.js';

beforeAll(buildByway, 180_000);

const WAIT = { timeout: 30_000, interval: 50 };
const MASTER_KEY = Buffer.alloc(32, 3).toString('base64');

describe.runIf(hasPostgres())('BYWAY_WORKERS processes on one port', () => {
  test('all serve, what a first start makes is made once, and one that dies is replaced', async () => {
    const server = await serving(await environment());
    expect(server.stdout().match(/first start/g)).toHaveLength(1);
    const { operatorKey, apiKey } = server.keys();
    const pids = await vi.waitFor(() => {
      expect(server.listening().size).toBe(2);
      return server.listening();
    }, WAIT);
    await vi.waitFor(async () => expect((await answering(server.url, operatorKey)).size).toBe(2), WAIT);
    const session = connectHttp2(server.url);
    const headers = { ':path': '/api/v1/key', authorization: `Bearer ${apiKey}` };
    expect(await stream(session, headers)).toMatchObject({ body: expect.stringContaining('"data"') });
    session.destroy();

    const [victim = 0] = pids;
    process.kill(victim, 'SIGKILL');
    await vi.waitFor(() => expect(server.logged('all workers serve')).toHaveLength(2), WAIT);
    expect(server.logged('a worker ended, starting another')).toMatchObject([
      { worker: victim, code: null, signal: 'SIGKILL' },
    ]);
    await vi.waitFor(() => expect(server.listening().size).toBe(3), WAIT);
    await vi.waitFor(async () => expect((await answering(server.url, operatorKey)).size).toBe(2), WAIT);
    expect(server.stdout().match(/first start/g)).toHaveLength(1);

    server.process.kill('SIGTERM');
    expect(await once(server.process, 'exit')).toEqual([0, null]);
    for (const pid of server.listening()) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
    expect(server.logged('drained')).toHaveLength(2);
  }, 120_000);

  test('any of them answers with the metrics of all, without those of a worker that died', async () => {
    const server = await serving(await environment());
    const { operatorKey, apiKey } = server.keys();
    const chats = 9;
    for (let count = 0; count < chats; count++) {
      const answer = await fetch(`${server.url}/api/v1/chat/completions`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${apiKey}`,
          'content-type': 'application/json',
          connection: 'close',
        },
        body: JSON.stringify({ model: 'demo/echo', messages: [{ role: 'user', content: 'Hello' }] }),
      });
      expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('Hello')]);
    }
    const metrics = async () => {
      const families = await scrape(server.url, operatorKey);
      const samples = (name: string) => families.get(name)?.samples ?? [];
      return {
        chats: samples('byway_chats_total').reduce((sum, { value }) => sum + value, 0),
        workers: samples('process_resident_memory_bytes').map(({ labels }) => labels.worker),
      };
    };
    for (let connection = 0; connection < 4; connection++) {
      expect(await metrics()).toEqual({ chats, workers: ['1', '2'] });
    }
    const [victim = 0] = server.listening();
    process.kill(victim, 'SIGKILL');
    await vi.waitFor(async () => {
      const { workers } = await metrics();
      expect([workers.length, workers.at(-1)]).toEqual([2, '3']);
    }, WAIT);
  }, 120_000);

  test.each(['SIGTERM', 'SIGINT'] as const)(
    '%s lets requests in flight finish, also when everybody gets it',
    async (name) => {
      const server = await serving(await environment());
      const { apiKey } = server.keys();
      const answer = await fetch(`${server.url}/api/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          model: 'demo/echo',
          stream: true,
          messages: [{ role: 'user', content: 'word '.repeat(400) }],
        }),
      });
      for (const pid of server.listening()) process.kill(pid, name);
      server.process.kill(name);
      expect(await answer.text()).toMatch(/data: \[DONE\]\s*$/);
      expect(await once(server.process, 'exit')).toEqual([0, null]);
    },
    120_000,
  );

  test('under TLS both HTTP versions are served, and SIGHUP reaches every worker', async () => {
    const env = await environment();
    const { cert, key } = selfSigned();
    const files = {
      BYWAY_TLS_CERT: join(dirname(env.BYWAY_DATA_DIR), 'cert.pem'),
      BYWAY_TLS_KEY: join(dirname(env.BYWAY_DATA_DIR), 'key.pem'),
    };
    writeFileSync(files.BYWAY_TLS_CERT, cert);
    writeFileSync(files.BYWAY_TLS_KEY, key);
    const server = await serving({ ...env, ...files });
    const url = `https://localhost:${new URL(server.url).port}`;
    const { operatorKey } = server.keys();
    await vi.waitFor(async () => expect((await answering(url, operatorKey, cert)).size).toBe(2), WAIT);
    const session = connectHttp2(url, { ca: cert });
    expect(await stream(session, { ':path': '/healthz' })).toMatchObject({ status: 200 });
    session.destroy();
    server.process.kill('SIGHUP');
    await vi.waitFor(() => expect(server.logged('reloaded the TLS certificate')).toHaveLength(2), WAIT);
    server.process.kill('SIGTERM');
    expect(await once(server.process, 'exit')).toEqual([0, null]);
  }, 120_000);

  test('a start that fails says why in one line, once, and is not tried again', async () => {
    const env = { ...(await environment()), BYWAY_MASTER_KEY: 'c2hvcnQ=' };
    expect(await byway(['serve'], env)).toEqual({
      code: 1,
      stdout: '',
      stderr: 'byway: BYWAY_MASTER_KEY: must be 32 bytes in base64, but has 5 bytes\n',
    });
  }, 60_000);
});

async function environment() {
  return {
    BYWAY_DATA_DIR: emptyDataDir(),
    BYWAY_DATABASE_URL: await emptyDatabaseUrl('postgres'),
    BYWAY_MASTER_KEY: MASTER_KEY,
    BYWAY_WORKERS: '2',
    HOST: '127.0.0.1',
    PORT: '0',
  };
}

/** A server once all of its workers serve and the keys of its first start are printed. */
async function serving(env: Readonly<Record<string, string>>) {
  const server = spawnByway(['serve', '--print-keys'], env);
  const logged = (message: string) =>
    server
      .stdout()
      .split('\n')
      .filter((line) => line.startsWith('{') && line.endsWith('}'))
      .map((line) => JSON.parse(line))
      .filter(({ msg }) => msg.startsWith(message));
  const keys = () => ({
    apiKey: /^ {2}API key +(bw-v1-[0-9a-f]{64})$/m.exec(server.stdout())?.[1] ?? '',
    operatorKey: /^ {2}operator key +(bw-op-[0-9a-f]{64})$/m.exec(server.stdout())?.[1] ?? '',
  });
  await vi.waitFor(() => {
    expect(server.stderr()).toBe('');
    expect(logged('all workers serve')).toHaveLength(1);
    expect(keys().operatorKey).not.toBe('');
  }, WAIT);
  const [first] = logged('Server listening at ');
  return {
    ...server,
    logged,
    keys,
    url: String(first.msg).replace('Server listening at ', ''),
    /** The processes that ever listened. */
    listening: () => new Set<number>(logged('Server listening at ').map(({ pid }) => pid)),
  };
}

/** The workers that answer on new connections, as they call themselves. */
async function answering(url: string, operatorKey: string, ca?: string | Buffer): Promise<Set<string>> {
  for (let connection = 0; connection < 6; connection++) await scrape(url, operatorKey, ca);
  const { samples = [] } = (await scrape(url, operatorKey, ca)).get('byway_http_requests_total') ?? {};
  const ofScrapes = samples.filter(({ labels }) => labels.operation === '/metrics');
  return new Set(ofScrapes.map(({ labels }) => labels.worker ?? ''));
}

async function scrape(url: string, operatorKey: string, ca?: string | Buffer) {
  const options = { agent: false, headers: { authorization: `Bearer ${operatorKey}` }, ca };
  const get = url.startsWith('https:') ? https.get : http.get;
  const [response] = await once(get(`${url}/metrics`, options), 'response');
  let text = '';
  for await (const chunk of response) text += chunk;
  return readExposition(text);
}
