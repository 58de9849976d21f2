import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchGateway } from '../../support/gateway.js';
import { addGenerations } from '../../support/many-generations.js';
import { bodyOf, caller, recordOf, rowsOf, send } from '../../support/rest.js';

const GENERATIONS = 300_000;
const PAGES = 20;

/** While a read blocks the event loop, at most one answer comes between its start and its end. */
const MIN_ANSWERS_MEANWHILE = 10;

let gateway: Awaited<ReturnType<typeof launchGateway>>;

beforeAll(async () => {
  gateway = await launchGateway({ env: { BYWAY_ADMIN_RATE_PER_MINUTE: '0' } });
  await addGenerations(gateway.gateway.database, GENERATIONS, gateway);
}, 180_000);

afterAll(() => gateway.stop());

describe('a long read blocks no other request', () => {
  it('other requests are answered while pages far back in 300,000 generations are read', async () => {
    const manage = caller(gateway, gateway.managementKey);
    await manage('GET', '/keys');
    let isDone = false;
    const page = `/generations?api_key_hash=${gateway.apiKeyHash}&offset=50000`;
    const readAll = async () => {
      const read = [];
      while (read.length < PAGES) read.push(await manage('GET', page));
      return read;
    };
    const reports = readAll().finally(() => {
      isDone = true;
    });
    let answers = 0;
    while (!isDone) {
      expect((await send(`${gateway.url}/healthz`, 'GET')).status).toBe(200);
      expect((await manage('GET', '/keys')).status).toBe(200);
      answers += 1;
    }
    for (const report of await reports) expect(rowsOf(report)).toHaveLength(50);
    expect(answers).toBeGreaterThan(MIN_ANSWERS_MEANWHILE);
  }, 120_000);

  it('a completed write is in the next list', async () => {
    const manage = caller(gateway, gateway.managementKey);
    for (let round = 0; round < 30; round++) {
      const created = recordOf(await manage('POST', '/keys', { name: `key ${round}` }));
      const listed = rowsOf(await manage('GET', `/keys?offset=${round}&limit=100`));
      expect(listed.map(({ hash }) => hash)).toContain(created.hash);
      const chat = { model: 'test/m1', messages: [{ role: 'user', content: 'Hello' }] };
      const answer = await caller(gateway, gateway.apiKey)('POST', '/chat/completions', chat);
      const [newest] = rowsOf(await manage('GET', '/generations?limit=1'));
      expect(newest?.id).toBe(bodyOf(answer).id);
    }
  }, 60_000);
});
