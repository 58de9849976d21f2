import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchGateway } from '../../support/gateway.js';
import { bodyOf, refusalOf, send } from '../../support/rest.js';

let gateway: Awaited<ReturnType<typeof launchGateway>>;
beforeAll(async () => {
  gateway = await launchGateway();
});
afterAll(() => gateway.stop());

const HASH = 'f'.repeat(64);
const CONFLICT = [401, 'conflicting_credentials'];
const INVALID = [401, 'invalid_api_key'];

function get(path: string, headers: Readonly<Record<string, string>>) {
  return send(gateway.rest + path, 'GET', { headers });
}

describe('x-api-key', () => {
  it('carries every kind of secret over REST, with the rights that it has as a bearer token', async () => {
    const { managementKey, apiKey, operatorKey, url } = gateway;
    expect((await get('/key', { 'x-api-key': apiKey })).status).toBe(200);
    expect((await get('/keys', { 'x-api-key': managementKey })).status).toBe(200);
    expect(refusalOf(await get('/keys', { 'x-api-key': apiKey }))).toEqual([403, 'permission_denied']);
    const metrics = await send(`${url}/metrics`, 'GET', { headers: { 'x-api-key': operatorKey } });
    expect(metrics.status).toBe(200);
  });

  it('may stand beside the same bearer token, but not beside another one, on every path', async () => {
    const { apiKey, managementKey } = gateway;
    const both = (authorization: string, path = '/models') =>
      get(path, { authorization, 'x-api-key': apiKey });
    expect((await both(`Bearer ${apiKey}`, '/key')).status).toBe(200);
    expect((await both(`bearer ${apiKey}`, '/key')).status).toBe(200);
    for (const path of ['/key', '/keys', '/models', '/providers']) {
      expect(refusalOf(await both(`Bearer ${managementKey}`, path))).toEqual(CONFLICT);
    }
    expect(refusalOf(await both(`Bearer bw-v1-${HASH}`))).toEqual(CONFLICT);
    expect(refusalOf(await both(`Basic ${apiKey}`))).toEqual(CONFLICT);
    expect(refusalOf(await both(''))).toEqual(CONFLICT);
  });

  it('that differs from the bearer token is refused without naming either', async () => {
    const { apiKey, managementKey } = gateway;
    const answer = await get('/key', { authorization: `Bearer ${managementKey}`, 'x-api-key': apiKey });
    expect(bodyOf(answer)).toEqual({
      error: {
        code: 401,
        message: 'Two different credentials were sent',
        metadata: { reason: 'conflicting_credentials' },
      },
    });
  });

  it.each(['', 'x', `bw-v1-${HASH}`, 'x'.repeat(5_000)])('must be valid: %j', async (key) => {
    for (const path of ['/models', '/key']) {
      expect(refusalOf(await get(path, { 'x-api-key': key }))).toEqual(INVALID);
    }
  });

  it('sent twice is refused', async () => {
    const { apiKey } = gateway;
    expect(refusalOf(await get('/key', { 'x-api-key': `${apiKey}, ${apiKey}` }))).toEqual(INVALID);
  });

  it('is no credential of RPC, whose clients have Authorization alone', async () => {
    const answer = await send(`${gateway.url}/byway.v1.KeyService/GetCurrentKey`, 'POST', {
      headers: { 'x-api-key': gateway.apiKey },
      body: {},
    });
    expect([answer.status, bodyOf(answer).code]).toEqual([401, 'unauthenticated']);
  });

  it('is never logged, whether it is accepted or refused', async () => {
    const { apiKey, managementKey, log } = gateway;
    await get('/key', { 'x-api-key': apiKey });
    await get('/key', { authorization: `Bearer ${managementKey}`, 'x-api-key': apiKey });
    expect(log.filter((line) => line.includes('answered')).length).toBeGreaterThan(0);
    expect(log.filter((line) => line.includes(apiKey) || line.includes(managementKey))).toEqual([]);
  });
});

describe('a base URL that is not quite right', () => {
  it.each(['/api', '/api/hello'])(
    '%s, by which Claude Code finds out whether anybody is there, is answered',
    async (path) => {
      const { status, headers } = await send(gateway.url + path, 'HEAD', {
        headers: { authorization: `Bearer ${gateway.apiKey}` },
      });
      expect([status, headers['x-content-type-options']]).toEqual([404, 'nosniff']);
    },
  );
});
