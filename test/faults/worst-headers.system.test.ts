import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readExposition, sampleValue } from '../support/prometheus.js';
import { send } from '../support/rest.js';
import { type ServerProcess, startServerProcess } from '../support/server-process.js';

/** The maximum size of headers, minus room for the others. */
const CHARACTERS = 15_000;

const REQUESTS = 20;

/** Of processor time for all of them; quadratic parsing takes several seconds. */
const MAX_SECONDS = 1;

let server: ServerProcess;
let url: string;
beforeAll(async () => {
  server = await startServerProcess({ BYWAY_ADMIN_RATE_PER_MINUTE: '0', BYWAY_TRUST_PROXY: '10' });
  url = `http://127.0.0.1:${server.port}`;
}, 60_000);
afterAll(async () => {
  expect(await server.stop()).toBe(0);
});

async function cpuSeconds(): Promise<number> {
  const { text } = await send(`${url}/metrics`, 'GET', {
    headers: { authorization: `Bearer ${server.operatorKey}` },
  });
  return sampleValue(readExposition(text), 'process_cpu_seconds_total') ?? Number.NaN;
}

function authorized() {
  return { authorization: `Bearer ${server.managementKey}` };
}

const KEYS = '/api/v1/keys';
const RPC = '/byway.v1.KeyService/ListKeys';
const many = (piece: string) => piece.repeat(CHARACTERS / piece.length);

const WORST: readonly (readonly [header: string, method: string, path: string, value: string])[] = [
  ['content-type', 'POST', KEYS, `application/json;charset=utf-8"${many('\t')};x`],
  ['content-type', 'POST', KEYS, `application/json${many(' ')}x`],
  ['content-type', 'POST', RPC, `application/json;charset=utf-8"${many('\t')};x`],
  ['content-type', 'POST', RPC, `application/grpc${many(' ')}x`],
  ['content-type', 'POST', RPC, many('application/json;')],
  ['connect-timeout-ms', 'POST', RPC, many('1')],
  ['content-encoding', 'POST', RPC, many('gzip,')],
  ['accept-encoding', 'POST', RPC, many('gzip;q=0.0,')],
  ['accept-encoding', 'GET', '/', `gzip;q=0.${many('0')}x`],
  ['accept-encoding', 'GET', '/', `gzip${many(' ')}x`],
  ['if-none-match', 'GET', '/api/v1/models', many('W/"x", ')],
  ['authorization', 'GET', KEYS, `Bearer${many(' ')}x x`],
  ['x-request-id', 'GET', KEYS, many('a')],
  ['x-forwarded-for', 'GET', KEYS, many('::ffff:1, ')],
  ['host', 'GET', KEYS, many('a.')],
  ['accept', 'GET', `${KEYS}?limit=${many('0')}`, '*/*'],
  ['accept', 'GET', `${KEYS}/${many('%2e')}`, '*/*'],
];

describe('the most expensive header costs time linear in its length', { timeout: 60_000 }, () => {
  it.each(WORST)('%s, %#', async (header, method, path, value) => {
    const before = await cpuSeconds();
    for (let count = 0; count < REQUESTS; count += 1) {
      const headers = { ...authorized(), 'content-type': 'application/json', [header]: value };
      const body = method === 'POST' ? '{}' : undefined;
      const { status } = await send(url + path, method, { headers, ...(body !== undefined && { body }) });
      expect(status).not.toBe(500);
    }
    expect((await cpuSeconds()) - before).toBeLessThan(MAX_SECONDS);
  });
});
