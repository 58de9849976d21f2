import { expect, test } from 'vitest';
import { startGateway } from '../../support/gateway.js';
import { bodyOf, caller, recordOf, rowsOf } from '../../support/rest.js';

const DAY_MS = 86_400_000;

/** On PostgreSQL a record goes with its month. */
const KEPT_AND_A_MONTH_MS = (31 + 32) * DAY_MS;

test('a record that is older than is kept is gone, and what it cost is not', async () => {
  const startedAt = Date.now();
  let now = startedAt;
  const { gateway, rest, url, operatorKey, managementKey, apiKey, log } = await startGateway({
    env: { BYWAY_RETENTION_DAYS: '31' },
    clock: { now: () => now },
  });
  const [manage, use] = [caller({ rest }, managementKey), caller({ rest }, apiKey)];
  const chat = async () => {
    const body = { model: 'test/m1', messages: [{ role: 'user', content: 'Hello' }] };
    return String((await use('POST', '/chat/completions', body)).headers['x-generation-id']);
  };
  const old = await chat();
  const usage = async () => [
    recordOf(await use('GET', '/key')).usage,
    bodyOf(await manage('GET', '/credits')),
  ];
  const before = [await usage(), rowsOf(await manage('GET', '/activity'))];

  now = startedAt + KEPT_AND_A_MONTH_MS;
  gateway.retention.start({
    info: (fields, message) => void log.push(JSON.stringify({ ...fields, message })),
    error: (fields) => expect(fields).toEqual({}),
  });
  const read = async (id: string) => (await use('GET', `/generation?id=${id}`)).status;
  await expect.poll(() => read(old), { timeout: 20_000 }).toBe(404);
  expect([await usage(), rowsOf(await manage('GET', '/activity'))]).toEqual(before);
  expect(await read(await chat())).toBe(200);
  expect(bodyOf(await manage('GET', '/generations'))).toMatchObject({ total_count: 1 });

  const headers = { authorization: `Bearer ${operatorKey}` };
  const metrics = async () => (await fetch(`${url}/metrics`, { headers })).text();
  await expect
    .poll(metrics, { timeout: 20_000 })
    .toMatch(/^byway_retention_dropped_total\{table="generation"\} 1$/m);
  const line = '"rows":1,"message":"dropped what is no longer kept"';
  await expect.poll(() => log.filter((entry) => entry.includes(line))).toHaveLength(1);
});
