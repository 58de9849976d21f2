import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { buildByway, documentOf, inProcess } from '../support/byway.js';
import { temporaryDatabaseUrl } from '../support/database.js';
import { startGateway } from '../support/gateway.js';
import { bodyOf, type Call, caller, recordOf, refusalOf, rowsOf, send } from '../support/rest.js';
import { startServerProcess } from '../support/server-process.js';
import { makeSmallDisk } from '../support/small-disk.js';

const UNAVAILABLE = [503, 'database_unavailable'];
const NOT_READY = [503, 'not_ready'];
const CHAT = { model: 'demo/echo', messages: [{ role: 'user', content: 'Hello' }] };
const PATIENCE = { timeout: 15_000 };

const disk = makeSmallDisk(64);

beforeAll(buildByway, 180_000);
afterAll(() => disk?.remove());

/** The calls to a gateway whose disk is full, and again once there is space. */
interface Client {
  readonly root: string;
  readonly use: Call;
  readonly manage: Call;
  readonly model: string;
}

async function expectWritesRefused({ root, use, manage, model }: Client, hash: string): Promise<void> {
  const chat = { ...CHAT, model };
  for (const answer of [
    await use('POST', '/chat/completions', chat),
    await use('POST', '/chat/completions', { ...chat, stream: true }),
    await manage('PATCH', `/keys/${hash}`, { name: 'x'.repeat(90) }),
    await manage('POST', '/keys', { name: 'Another' }),
  ]) {
    expect(refusalOf(answer)).toEqual(UNAVAILABLE);
    expect(answer.headers['retry-after']).toBe('1');
  }
  // An answer counts for a second.
  await expect.poll(async () => refusalOf(await send(`${root}/readyz`, 'GET')), PATIENCE).toEqual(NOT_READY);
}

async function expectReadsAnswered({ root, use, manage }: Client): Promise<void> {
  expect((await send(`${root}/healthz`, 'GET')).status).toBe(200);
  expect((await use('GET', '/key')).status).toBe(200);
  for (const path of ['/keys', '/generations', '/activity', '/credits', '/byok']) {
    expect((await manage('GET', path)).status, path).toBe(200);
  }
}

async function expectAnswerFrom({ root, use, manage, model }: Client, hash: string): Promise<void> {
  await expect.poll(async () => (await send(`${root}/readyz`, 'GET')).status, PATIENCE).toBe(200);
  expect((await use('POST', '/chat/completions', { ...CHAT, model })).status).toBe(200);
  expect(recordOf(await manage('PATCH', `/keys/${hash}`, { name: 'Renamed' })).name).toBe('Renamed');
}

describe.runIf(disk !== undefined)('while the disk is full', () => {
  it('writes are refused, reads are served; with space again everything works, nothing is half-written', async () => {
    const folder = disk?.folder ?? '';
    const env = { BYWAY_DATA_DIR: `${folder}/data`, BYWAY_DATABASE_URL: `sqlite:${folder}/data/byway.db` };
    const server = await startServerProcess({ ...env, BYWAY_LOG_LEVEL: 'warn' });
    onTestFinished(async () => void (await server.stop()));
    const root = `http://127.0.0.1:${server.port}`;
    const by = (secret: string) => caller({ rest: `${root}/api/v1` }, secret);
    const client = { root, use: by(server.apiKey), manage: by(server.managementKey), model: 'demo/echo' };
    const [key] = rowsOf(await client.manage('GET', '/keys'));
    const hash = String(key?.hash);
    expect((await client.use('POST', '/chat/completions', CHAT)).status).toBe(200);
    const before = rowsOf(await client.manage('GET', '/generations')).length;

    for (let round = 0; round < 2; round++) {
      disk?.fill();
      // What fits into the space that the log already has is still written.
      await expect
        .poll(async () => (await client.use('POST', '/chat/completions', CHAT)).status, PATIENCE)
        .toBe(503);
      await expectWritesRefused(client, hash);
      await expectReadsAnswered(client);
      const refused = recordOf(await client.manage('GET', `/keys/${hash}`));
      expect(refused.name).toBe(round === 0 ? key?.name : 'Renamed');
      disk?.free();
      await expectAnswerFrom(client, hash);
    }
    expect(server.output.some((line) => line.includes('the database is not available'))).toBe(true);
    expect(rowsOf(await client.manage('GET', '/keys'))).toHaveLength(1);
    expect(rowsOf(await client.manage('GET', '/generations')).length).toBeGreaterThanOrEqual(before + 2);
    const checked = await inProcess(['db', 'check', '--json'], env);
    expect(documentOf(checked)).toMatchObject({ ok: true });
  }, 120_000);
});

describe('while the database may not grow', () => {
  it('writes are refused, reads are served; afterwards everything works again', async () => {
    const gateway = await startGateway({ env: { BYWAY_DATABASE_URL: await temporaryDatabaseUrl('sqlite') } });
    const { database } = gateway.gateway;
    const limitPages = (count: number) =>
      database.transact([], (tx) => sql`pragma max_page_count = ${sql.lit(count)}`.execute(tx));
    const client = {
      root: gateway.url,
      model: 'test/m1',
      use: caller(gateway, gateway.apiKey),
      manage: caller(gateway, gateway.managementKey),
    };
    // A limit below the current size counts as the current size.
    await limitPages(1);
    await expect
      .poll(async () => (await client.manage('POST', '/keys', { name: 'x'.repeat(90) })).status, PATIENCE)
      .toBe(503);
    const refused = bodyOf(await client.manage('POST', '/keys', { name: 'x'.repeat(90) }));
    expect(refused).toMatchObject({ error: { metadata: { reason: 'database_unavailable' } } });
    await expectReadsAnswered(client);
    await limitPages(1_000_000);
    await expectAnswerFrom(client, gateway.apiKeyHash);
  });
});
