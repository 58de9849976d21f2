import { gunzipSync, gzipSync } from 'node:zlib';
import { create, fromBinary, getOption, type JsonObject, toBinary } from '@bufbuild/protobuf';
import { MethodOptions_IdempotencyLevel as IdempotencyLevel } from '@bufbuild/protobuf/wkt';
import { createConnectTransport } from '@connectrpc/connect-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GetKeyRequestSchema, GetKeyResponseSchema } from '../../../gen/byway/v1/keys_pb.js';
import { ListModelsResponseSchema } from '../../../gen/byway/v1/models_pb.js';
import { http } from '../../../gen/google/api/annotations_pb.js';
import { createByway } from '../../../src/client/index.js';
import { dumpDatabase } from '../../support/dump.js';
import { launchGateway, startGateway } from '../../support/gateway.js';
import { type Answer, bodyOf, send } from '../../support/rest.js';

let gateway: Awaited<ReturnType<typeof launchGateway>>;

beforeAll(async () => {
  gateway = await launchGateway();
});
afterAll(() => gateway.stop());

interface Sent {
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly secret?: string | null;
  readonly verb?: string;
}

/** A call by GET; by default of the empty message in JSON. */
function get(method: string, { query = {}, headers = {}, secret, verb = 'GET' }: Sent = {}): Promise<Answer> {
  const search = new URLSearchParams({ connect: 'v1', encoding: 'json', message: '{}', ...query });
  const credential = secret === undefined ? gateway.managementKey : secret;
  return send(`${gateway.url}/byway.v1.${method}?${search}`, verb, {
    headers: { ...headers, ...(credential !== null && { authorization: `Bearer ${credential}` }) },
  });
}

describe("methods whose REST form is GET, but for GetBatch, only read and take Connect's GET", () => {
  it('and no other method is declared so', () => {
    const methods = gateway.gateway.services.flatMap(({ service }) => service.methods);
    const reading = methods.filter((m) => getOption(m, http).pattern.case === 'get' && m.name !== 'GetBatch');
    const saying = methods.filter((m) => m.idempotency === IdempotencyLevel.NO_SIDE_EFFECTS);
    expect(saying.map(({ name }) => name)).toEqual(reading.map(({ name }) => name));
    expect(saying.length).toBeGreaterThan(20);
  });

  it('the typed client may use it', async () => {
    const byway = createByway(
      createConnectTransport({
        baseUrl: gateway.url,
        httpVersion: '1.1',
        useHttpGet: true,
        interceptors: [
          (next) => (request) => {
            request.header.set('authorization', `Bearer ${gateway.managementKey}`);
            return next(request);
          },
        ],
      }),
    );
    const { data } = await byway.keys.get({ hash: gateway.apiKeyHash });
    expect(data?.hash).toBe(gateway.apiKeyHash);
  });

  it('a message comes as JSON, as protobuf in base64, and compressed', async () => {
    const message = toBinary(GetKeyRequestSchema, create(GetKeyRequestSchema, { hash: gateway.apiKeyHash }));
    const json = await get('KeyService/GetKey', { query: { message: `{"hash":"${gateway.apiKeyHash}"}` } });
    expect([json.status, json.headers['content-type']]).toEqual([200, 'application/json']);
    expect(bodyOf(json)).toMatchObject({ data: { hash: gateway.apiKeyHash } });
    for (const bytes of [message, gzipSync(message)]) {
      const compression = bytes === message ? {} : { compression: 'gzip' };
      for (const alphabet of ['base64', 'base64url'] as const) {
        const text = Buffer.from(bytes).toString(alphabet);
        const query = { encoding: 'proto', base64: '1', message: text, ...compression };
        const answer = await get('KeyService/GetKey', { query });
        expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/proto']);
        expect(fromBinary(GetKeyResponseSchema, answer.bytes).data?.hash).toBe(gateway.apiKeyHash);
      }
    }
  });

  it('HEAD answers like GET', async () => {
    const [whole, head] = [
      await get('KeyService/ListKeys'),
      await get('KeyService/ListKeys', { verb: 'HEAD' }),
    ];
    expect([head.status, head.text, head.headers['content-type']]).toEqual([200, '', 'application/json']);
    expect(head.headers['content-length']).toBe(whole.headers['content-length']);
  });

  it('a large answer is compressed where accepted', async () => {
    await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        send(`${gateway.rest}/keys`, 'POST', {
          headers: {
            authorization: `Bearer ${gateway.managementKey}`,
            'content-type': 'application/json',
          },
          body: JSON.stringify({ name: `Key ${index}` }),
        }),
      ),
    );
    const answer = await get('KeyService/ListKeys', { headers: { 'accept-encoding': 'gzip' } });
    expect(answer.headers['content-encoding']).toBe('gzip');
    const plain = await get('KeyService/ListKeys');
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect((bodyOf(plain).data as unknown[]).length).toBeGreaterThan(9);
  });
});

describe('the checks are those of any call, in their order', () => {
  it('authentication, then permission, then the format, then the message, then existence', async () => {
    const broken = { encoding: 'foo', message: '{broken' };
    const nobody = await get('KeyService/GetKey', { query: broken, secret: null });
    expect([nobody.status, bodyOf(nobody).code]).toEqual([401, 'unauthenticated']);
    const forbidden = await get('KeyService/GetKey', { query: broken, secret: gateway.apiKey });
    expect([forbidden.status, bodyOf(forbidden).code]).toEqual([403, 'permission_denied']);
    const format = await get('KeyService/GetKey', { query: broken });
    expect([format.status, bodyOf(format).code]).toEqual([415, undefined]);
    const message = await get('KeyService/GetKey', { query: { message: '{broken' } });
    expect([message.status, bodyOf(message).code]).toEqual([400, 'invalid_argument']);
    const base64 = await get('KeyService/GetKey', { query: { base64: '1', message: '!' } });
    expect([base64.status, bodyOf(base64).code]).toEqual([400, 'invalid_argument']);
    const unknown = await get('KeyService/GetKey', { query: { message: `{"hash":"${'0'.repeat(64)}"}` } });
    expect([unknown.status, bodyOf(unknown).code]).toEqual([404, 'not_found']);
  });

  it('an unknown encoding and another version break the protocol', async () => {
    const encoding = await get('KeyService/ListKeys', { query: { compression: 'zstd' } });
    expect(bodyOf(encoding)).toEqual({ code: 'unimplemented', message: expect.any(String) });
    expect(encoding.headers['accept-encoding']).toBe('gzip, br');
    const version = await get('KeyService/ListKeys', { query: { connect: 'v2' } });
    expect(bodyOf(version)).toEqual({ code: 'invalid_argument', message: expect.any(String) });
  });

  it('a message that is too large when decompressed, or too long for a URL, is refused', async () => {
    const bomb = gzipSync(Buffer.alloc(4 * 2 ** 20, '{')).toString('base64url');
    const unpacked = await get('KeyService/ListKeys', {
      query: { base64: '1', compression: 'gzip', message: bomb },
    });
    expect(bodyOf(unpacked).code).toBe('resource_exhausted');
    const long = await get('KeyService/ListKeys', { query: { message: `{"x":"${'x'.repeat(17_000)}"}` } });
    expect(long.status).toBe(431);
  });

  it('it counts like any call, and a refused one writes nothing', async () => {
    const limited = await startGateway({ env: { BYWAY_ADMIN_RATE_PER_MINUTE: '1' } });
    const url = `${limited.url}/byway.v1.KeyService/ListKeys?connect=v1&encoding=json&message=%7B%7D`;
    const headers = { authorization: `Bearer ${limited.managementKey}` };
    const before = await dumpDatabase(limited.gateway.database);
    const statuses = [await send(url, 'GET', { headers }), await send(url, 'GET', { headers })];
    expect(statuses.map(({ status }) => status)).toEqual([200, 429]);
    expect(await dumpDatabase(limited.gateway.database)).toBe(before);
  });
});

describe('an answer has the caching headers of its REST twin', () => {
  it.each([
    ['KeyService/ListKeys', '/keys', 'managementKey'],
    ['KeyService/GetCurrentKey', '/key', 'apiKey'],
    ['ModelService/ListModels', '/models', 'apiKey'],
    ['ModelService/ListUserModels', '/models/user', 'apiKey'],
    ['ModelService/ListProviders', '/providers', 'apiKey'],
  ] as const)('%s like %s', async (method, path, key) => {
    const secret = gateway[key];
    const rest = await send(gateway.rest + path, 'GET', { headers: { authorization: `Bearer ${secret}` } });
    const rpc = await get(method, { secret });
    expect([rpc.status, rpc.headers['cache-control']]).toEqual([200, rest.headers['cache-control']]);
    expect(rpc.headers.etag === undefined).toBe(rest.headers.etag === undefined);
  });

  it('a list of models is revalidated with 304, with an ETag per format', async () => {
    const tags = new Set<string>();
    for (const encoding of ['json', 'proto']) {
      const query = { encoding, message: encoding === 'json' ? '{}' : '' };
      const whole = await get('ModelService/ListModels', { query, headers: {} });
      const etag = String(whole.headers.etag);
      tags.add(etag);
      expect([whole.status, whole.headers['content-encoding']]).toEqual([200, undefined]);
      const again = await get('ModelService/ListModels', { query, headers: { 'if-none-match': etag } });
      expect([again.status, again.text, again.headers.etag]).toEqual([304, '', etag]);
      if (encoding === 'json') expect((bodyOf(whole) as JsonObject).data).not.toEqual([]);
      else expect(fromBinary(ListModelsResponseSchema, whole.bytes).data).not.toEqual([]);
    }
    expect(tags.size).toBe(2);
  });

  it('a list of models that is compressed has an ETag of its own', async () => {
    const query = { encoding: 'json', message: '{}' };
    const list = (headers: Record<string, string>) => get('ModelService/ListModels', { query, headers });
    const plain = await list({});
    const packed = await list({ 'accept-encoding': 'gzip' });
    expect(packed.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(packed.bytes)).toEqual(Buffer.from(plain.bytes));
    const [etag, other] = [String(packed.headers.etag), String(plain.headers.etag)];
    expect(etag).not.toBe(other);
    for (const [sent, status] of [
      [etag, 304],
      [other, 200],
    ] as const) {
      const again = await list({ 'accept-encoding': 'gzip', 'if-none-match': sent });
      expect([again.status, again.headers.etag]).toEqual([status, etag]);
    }
  });

  it('a POST of the same method is not cacheable', async () => {
    const answer = await send(`${gateway.url}/byway.v1.ModelService/ListModels`, 'POST', {
      headers: { 'content-type': 'application/json' },
      body: '{}',
    });
    expect([answer.headers['cache-control'], answer.headers.etag]).toEqual(['no-store', undefined]);
  });
});
