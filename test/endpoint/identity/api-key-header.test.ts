import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchGateway } from '../../support/gateway.js';
import { callRaw, enveloped } from '../../support/raw-rpc.js';
import { bodyOf, refusalOf, send } from '../../support/rest.js';

let gateway: Awaited<ReturnType<typeof launchGateway>>;
beforeAll(async () => {
  gateway = await launchGateway();
});
afterAll(() => gateway.stop());

const GET_CURRENT_KEY = '/byway.v1.KeyService/GetCurrentKey';
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
    expect(refusalOf(await both(`Token ${apiKey}`))).toEqual(CONFLICT);
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

  it.each([
    'application/json',
    'application/proto',
    'application/grpc',
    'application/grpc; charset=utf-8',
    'application/grpc-web+proto',
  ])('is a credential of RPC too, under the same rules: %s', async (contentType) => {
    const { apiKey, managementKey, url } = gateway;
    const body =
      contentType === 'application/json'
        ? Buffer.from('{}')
        : Buffer.alloc(contentType === 'application/proto' ? 0 : 5);
    const call = async (headers: Readonly<Record<string, string>>) => {
      const answer = await callRaw({ url: url + GET_CURRENT_KEY, contentType, body, headers });
      return answer.detail?.reason ?? (answer.error === null ? 'served' : answer.error.message);
    };
    expect(await call({ 'x-api-key': apiKey })).toBe('served');
    expect(await call({ 'x-api-key': apiKey, authorization: 'Basic dTpw' })).toBe('served');
    expect(await call({ 'x-api-key': apiKey, authorization: `Bearer ${apiKey}` })).toBe('served');
    expect(await call({ 'x-api-key': managementKey })).toBe('permission_denied');
    expect(await call({ 'x-api-key': 'x' })).toBe('invalid_api_key');
    const both = { 'x-api-key': apiKey, authorization: `Bearer ${managementKey}` };
    expect(await call(both)).toBe('conflicting_credentials');
    expect(await call({ authorization: 'Basic dTpw' })).toBe('missing_authentication');
  });

  it('opens streams of RPC', async () => {
    const call = (headers: Readonly<Record<string, string>>) =>
      callRaw({
        url: `${gateway.url}/byway.v1.ChatService/StreamChatCompletion`,
        contentType: 'application/connect+json',
        body: enveloped(
          Buffer.from('{"chat":{"model":"test/m1","messages":[{"role":"user","content":{"text":"Hello"}}]}}'),
        ),
        headers,
      });
    expect((await call({ 'x-api-key': gateway.apiKey })).error).toBeNull();
    expect((await call({})).detail?.reason).toBe('missing_authentication');
  });

  it('is never logged, whether it is accepted or refused', async () => {
    const { apiKey, managementKey, log } = gateway;
    await get('/key', { 'x-api-key': apiKey });
    await get('/key', { authorization: `Bearer ${managementKey}`, 'x-api-key': apiKey });
    expect(log.filter((line) => line.includes('answered')).length).toBeGreaterThan(0);
    expect(log.filter((line) => line.includes(apiKey) || line.includes(managementKey))).toEqual([]);
  });
});

describe('Authorization of a scheme by which proxies authenticate people', () => {
  const FOREIGN = [
    'Basic dXNlcjpwYXNz',
    'basic dXNlcjpwYXNz',
    'BASIC',
    'Digest username="u", realm="r", nonce="n", uri="/", response="x"',
    `Negotiate ${'YII'.repeat(2_000)}`,
  ];

  it.each(FOREIGN)('is no credential of ours, and ignored: %.20s', async (authorization) => {
    const { apiKey, managementKey, url } = gateway;
    for (const path of ['/healthz', '/readyz', '/openapi.json']) {
      expect((await send(url + path, 'GET', { headers: { authorization } })).status).toBe(200);
    }
    expect((await get('/models', { authorization })).status).toBe(200);
    expect((await get('/key', { authorization, 'x-api-key': apiKey })).status).toBe(200);
    expect((await get('/keys', { authorization, 'x-api-key': managementKey })).status).toBe(200);
    expect(refusalOf(await get('/key', { authorization }))).toEqual([401, 'missing_authentication']);
    expect(refusalOf(await get('/key', { authorization, 'x-api-key': 'x' }))).toEqual(INVALID);
  });

  it.each([
    'Bearer',
    'Token x',
    'Basically x',
    'Basic\tdTpw',
    'AWS4-HMAC-SHA256 Credential=x',
    'dXNlcjpwYXNz',
    '',
  ])('is not any other that can’t be read, which stays 401: %j', async (authorization) => {
    for (const path of ['/models', '/key']) {
      expect(refusalOf(await get(path, { authorization }))).toEqual(INVALID);
    }
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
