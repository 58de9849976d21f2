import { createConnectTransport, createGrpcTransport } from '@connectrpc/connect-node';
import { expect, it } from 'vitest';
import { createByway } from '../../../src/client/index.js';
import { createKeyStore } from '../../../src/store/tables/key-store.js';
import { clockAt } from '../../support/clock.js';
import { openDuringTest } from '../../support/database.js';
import {
  COST_USD,
  keyRecord,
  type MoneyGateway,
  mustSucceed,
  startMoneyGateway,
} from '../../support/money.js';
import { type Row, refusalOf } from '../../support/rest.js';

/** The members that tests change, as every transport answers them, each asked three times. */
async function ownKey(gateway: MoneyGateway): Promise<Row> {
  const headers = { authorization: `Bearer ${gateway.apiKey}` };
  const over = { baseUrl: gateway.url, httpVersion: '2' } as const;
  const transports = [
    createConnectTransport({ ...over, useBinaryFormat: false }),
    createConnectTransport({ ...over, useBinaryFormat: true }),
    createGrpcTransport(over),
  ];
  const answers: Row[] = [];
  for (let asked = 0; asked < 3; asked++) {
    const { name, limit, limit_remaining: remaining, usage, usage_daily: today } = await keyRecord(gateway);
    answers.push({ name, limit, remaining, usage, today });
    for (const transport of transports) {
      const { data } = await createByway(transport).keys.current({}, { headers });
      if (data === undefined) throw new Error('no key');
      const { limit = null, limitRemaining = null } = data;
      const { name, usage, usageDaily } = data;
      answers.push({ name, limit, remaining: limitRemaining, usage, today: usageDaily });
    }
  }
  const [first = {}] = answers;
  expect(answers).toEqual(answers.map(() => first));
  return first;
}

it('a key that reads itself again and again sees each change at once, over every transport', async () => {
  const clock = clockAt('2026-03-04T12:00:00Z');
  const gateway = await startMoneyGateway({ clock });
  const path = `/keys/${gateway.apiKeyHash}`;
  const { name } = await keyRecord(gateway);
  const fresh = { name, limit: null, remaining: null, usage: 0, today: 0 };
  expect(await ownKey(gateway)).toEqual(fresh);
  await mustSucceed(gateway.chat('test/paid'));
  const used = { ...fresh, usage: COST_USD, today: COST_USD };
  expect(await ownKey(gateway)).toEqual(used);
  await mustSucceed(gateway.manage('PATCH', path, { name: 'Renamed', limit: 1 }));
  const limited = { ...used, name: 'Renamed', limit: 1, remaining: 1 - COST_USD };
  expect(await ownKey(gateway)).toEqual(limited);
  clock.set('2026-03-05T00:00:00Z');
  expect(await ownKey(gateway)).toEqual({ ...limited, today: 0 });
  await mustSucceed(gateway.manage('DELETE', path));
  expect(refusalOf(await gateway.use('GET', '/key'))).toEqual([401, 'invalid_api_key']);
});

it('a change of a key in another process shows soon', async () => {
  const gateway = await startMoneyGateway();
  await ownKey(gateway);
  const { accountId, apiKeyHash, databaseUrl } = gateway;
  const other = createKeyStore(await openDuringTest(databaseUrl));
  await other.updateKey({ accountId, clientId: null }, apiKeyHash, (key) => ({ ...key, name: 'Renamed' }));
  await expect.poll(() => keyRecord(gateway), { timeout: 5_000 }).toMatchObject({ name: 'Renamed' });
  expect(await ownKey(gateway)).toMatchObject({ name: 'Renamed' });
});
