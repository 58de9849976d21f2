import * as grpc from '@grpc/grpc-js';
import { afterEach, describe, expect, it } from 'vitest';
import { clockAt } from '../support/clock.js';
import { launchGateway } from '../support/gateway.js';
import { refusalOf, send } from '../support/rest.js';

type Gateway = Awaited<ReturnType<typeof launchGateway>>;

let gateway: Gateway;
afterEach(() => gateway.stop());

/** Its time stands still, so that nothing is refilled meanwhile. */
function stoppedGateway(env: Readonly<Record<string, string>> = {}): Promise<Gateway> {
  return launchGateway({ env, clock: clockAt(Date.now()), failedPerSecond: 20 });
}

let tried = 0;
const unknown = () => {
  tried += 1;
  return `Bearer bw-v1-${String(tried).padStart(64, '0')}`;
};

const TOO_MANY = [429, 'rate_limited'];

/** Unknown credentials until one is refused for being too many. */
async function attack(headers: Record<string, string> = {}): Promise<void> {
  for (let count = 0; count < 200; count += 1) {
    const { status } = await send(`${gateway.rest}/key`, 'GET', {
      headers: { ...headers, authorization: unknown() },
    });
    if (status === 429) return;
    expect(status).toBe(401);
  }
  throw new Error('200 unknown credentials were looked up');
}

async function statusFrom(forwarded: string, authorization = unknown()) {
  const headers = { authorization, 'x-forwarded-for': forwarded };
  return (await send(`${gateway.rest}/key`, 'GET', { headers })).status;
}

describe('unknown credentials are throttled by client address', () => {
  it('over every transport, with the time to wait', async () => {
    gateway = await stoppedGateway();
    await attack();
    const rest = await send(`${gateway.rest}/models`, 'GET', { headers: { authorization: 'Bearer x' } });
    expect([refusalOf(rest), rest.headers['retry-after']]).toEqual([TOO_MANY, '1']);
    const rpc = await send(`${gateway.url}/byway.v1.KeyService/GetCurrentKey`, 'POST', {
      headers: { authorization: unknown() },
      body: {},
    });
    expect([rpc.status, JSON.parse(rpc.text).code]).toEqual([429, 'resource_exhausted']);
    const client = new grpc.Client(new URL(gateway.url).host, grpc.credentials.createInsecure());
    const metadata = new grpc.Metadata();
    metadata.set('authorization', unknown());
    const same = (bytes: Buffer) => bytes;
    const path = '/byway.v1.KeyService/GetCurrentKey';
    const error = await new Promise<grpc.ServiceError | null>((resolve) => {
      client.makeUnaryRequest(path, same, same, Buffer.alloc(0), metadata, resolve);
    });
    expect([error?.code, error?.metadata.get('retry-after')]).toEqual([8, ['1']]);
    client.close();
  });

  it('a valid credential that has been used is still accepted, and public operations need none', async () => {
    gateway = await stoppedGateway();
    const authorization = `Bearer ${gateway.apiKey}`;
    const use = async () => (await send(`${gateway.rest}/key`, 'GET', { headers: { authorization } })).status;
    expect(await use()).toBe(200);
    await attack();
    expect(await use()).toBe(200);
    expect((await send(`${gateway.rest}/models`, 'GET')).status).toBe(200);
    expect((await send(`${gateway.url}/healthz`, 'GET')).status).toBe(200);
  });

  it('a client cannot forge its address by default', async () => {
    gateway = await stoppedGateway();
    await attack({ 'x-forwarded-for': '192.0.2.1' });
    expect(await statusFrom('192.0.2.2')).toBe(429);
  });

  it('behind trusted proxies it is the address that the first of them saw', async () => {
    gateway = await stoppedGateway({ BYWAY_TRUST_PROXY: '2' });
    await attack({ 'x-forwarded-for': 'forged, 192.0.2.1, 10.0.0.1' });
    const others = ['192.0.2.2, 10.0.0.1', '192.0.2.1, 192.0.2.2, 10.0.0.1', '10.0.0.1', '', 'x, 10.0.0.1'];
    for (const other of others) expect([other, await statusFrom(other)]).toEqual([other, 401]);
    const same = ['192.0.2.1, 10.0.0.2', 'other, 192.0.2.1:4711,10.0.0.1', '::ffff:192.0.2.1, 10.0.0.1'];
    for (const one of same) expect([one, await statusFrom(one)]).toEqual([one, 429]);
  });

  it('an IPv6 network counts as one address', async () => {
    gateway = await stoppedGateway({ BYWAY_TRUST_PROXY: '1' });
    await attack({ 'x-forwarded-for': '2001:db8:0:1::1' });
    for (const one of ['2001:DB8::1:0:0:0:2', '[2001:db8:0:1:ffff::]:443', '2001:db8:0:1:1:2:3:4']) {
      expect([one, await statusFrom(one)]).toEqual([one, 429]);
    }
    for (const other of ['2001:db8:0:2::1', '2001:db8::1', '::1']) {
      expect([other, await statusFrom(other)]).toEqual([other, 401]);
    }
  });
});
