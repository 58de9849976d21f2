import http from 'node:http';
import { expect, it } from 'vitest';
import { createDrain } from '../../../src/server/health/drain.js';
import { totalsViolations } from '../../../src/store/ledger/totals.js';
import { chargeViolations } from '../../../src/store/maintenance/invariants.js';
import { openDatabase } from '../../../src/store/open.js';
import { demoModel, demoProvider } from '../../support/catalog.js';
import { startGateway, type TestGateway } from '../../support/gateway.js';
import { countAdmitted } from '../../support/money.js';

const OPEN = 20;

function catalog() {
  const scripts = ['stall', 'stall-after-3'];
  return {
    providers: [demoProvider('demo')],
    models: scripts.map((script) =>
      demoModel(`demo/${script}`, [{ provider: 'demo', upstream_model_id: script }]),
    ),
  };
}

/** Sends a chat that never ends; resolves with its generation once the answer has begun. */
function beginStream({ rest, apiKey }: TestGateway): Promise<string> {
  return new Promise((resolve) => {
    post({ rest, apiKey }, { model: 'demo/stall-after-3', stream: true }).on('response', (response) => {
      response.on('error', () => undefined);
      response.once('data', () => resolve(String(response.headers['x-generation-id'])));
    });
  });
}

function post({ rest, apiKey }: Pick<TestGateway, 'rest' | 'apiKey'>, body: object): http.ClientRequest {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  const request = http.request(`${rest}/chat/completions`, { method: 'POST', agent: false, headers });
  request.on('error', () => undefined);
  request.end(JSON.stringify({ messages: [{ role: 'user', content: 'Hello' }], ...body }));
  return request;
}

it('records and charges the requests that a shutdown cuts off', async () => {
  const serving = await startGateway({ catalog: catalog() });
  const { gateway, server } = serving;
  const admitted = countAdmitted(serving);
  const streams = await Promise.all(Array.from({ length: OPEN }, () => beginStream(serving)));
  for (let index = 0; index < OPEN; index++) post(serving, { model: 'demo/stall' });
  await expect.poll(admitted).toBe(2 * OPEN);

  const close = async () => {
    await server.close();
    await gateway.close();
  };
  await createDrain({
    app: { server: server.server, close },
    timeoutMs: 50,
    endConnections: () => undefined,
    endAnswers: () => gateway.cutOff(),
    refuseRest: () => undefined,
    log: server.log,
  }).stop();

  const database = await openDatabase(serving.databaseUrl);
  const rows = await database.query.selectFrom('generation').selectAll().execute();
  expect(rows).toHaveLength(2 * OPEN);
  expect(rows.map(({ cancelled, reason }) => [cancelled, reason])).toEqual(
    rows.map(() => [0, 'shutting_down']),
  );
  const charged = rows.filter(({ usage_nano_usd }) => usage_nano_usd > 0n).map(({ id }) => id);
  expect(new Set(charged)).toEqual(new Set(streams));
  expect(await database.query.selectFrom('reservation').select('id').execute()).toEqual([]);
  expect([...(await totalsViolations(database)), ...(await chargeViolations(database))]).toEqual([]);
  await database.close();
});
