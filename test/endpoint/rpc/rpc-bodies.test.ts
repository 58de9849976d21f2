import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { Code } from '@connectrpc/connect';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scriptedCatalog } from '../../support/catalog.js';
import { dumpDatabase } from '../../support/dump.js';
import { launchGateway } from '../../support/gateway.js';
import { callRaw, enveloped } from '../../support/raw-rpc.js';
import { bodyOf, type Row, send } from '../../support/rest.js';
import { BINARY, callerOn, isJson, type RpcProtocol, UNARY } from './rpc-protocols.js';

let gateway: Awaited<ReturnType<typeof launchGateway>>;

beforeAll(async () => {
  gateway = await launchGateway({ catalog: scriptedCatalog() });
});
afterAll(() => gateway.stop());

/** A chat of some 8 MiB whose extra member is a list of millions of numbers and lists. */
function huge(protocol: Pick<RpcProtocol, 'contentType'>): Uint8Array {
  const values = 2 ** 20;
  if (isJson(protocol)) {
    const members = `"model":"demo/echo","user":"${NOISE}","extra":{"x":[${'0,[],'.repeat(values)}0]}`;
    return Buffer.from(`{"chat":{${members}}}`);
  }
  // Twice in a `ListValue`: a `Value` with a `null_value`, one with an empty `list_value`.
  const list = Buffer.alloc(8 * values, Buffer.from([0x0a, 2, 0x08, 0, 0x0a, 2, 0x32, 0]));
  const entry = Buffer.concat([field(1, Buffer.from('x')), field(2, field(6, list))]);
  return field(1, Buffer.concat([field(17, Buffer.from(NOISE)), field(18, field(1, entry))]));
}

/** Hardly compressible, so that the ratio is that of real chats. */
const NOISE = randomBytes(64 * 1024).toString('base64');

/** A length-delimited field. */
function field(number: number, content: Uint8Array): Buffer {
  const varint = (value: number): number[] =>
    value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(value >>> 7)];
  return Buffer.concat([Buffer.from([...varint(number * 8 + 2), ...varint(content.length)]), content]);
}

const CANARY = 'canaryQ7-0123456789';
const call = callerOn(() => gateway);

const BROKEN_JSON: readonly [body: string, field: string, rule: string][] = [
  [`{"provider":"a","key":${CANARY}}`, '', 'json'],
  [CANARY, '', 'json'],
  ['', '', 'json'],
  [`{"key":"${CANARY}"`, '', 'json'],
  [`["${CANARY}"]`, '', 'json'],
  [`{"provider":"a","key":"${CANARY}","disabled":"${CANARY}"}`, 'disabled', 'type'],
  [`{"provider":"a","key":{"api_key":"${CANARY}"}}`, 'key', 'type'],
];

const BROKEN_BINARY: readonly [what: string, bytes: Buffer][] = [
  ['a tag that never ends', Buffer.from([0xff, 0xff, 0xff])],
  ['a field that is cut off', Buffer.concat([Buffer.from([0x0a, 0x7f]), Buffer.from(CANARY)])],
  ['a wire type that does not exist', Buffer.from([0x0f, 0x01])],
  ['a field number 0', Buffer.from([0x00, 0x01])],
  ['text that is not UTF-8', Buffer.from([0x0a, 0x02, 0xc3, 0x28])],
  ['JSON', Buffer.from(`{"provider":"a","key":"${CANARY}"}`)],
];

describe('a body that an RPC cannot read', () => {
  it.each(
    UNARY.filter(isJson).flatMap((protocol) =>
      BROKEN_JSON.map((broken) => [protocol.contentType, protocol, ...broken] as const),
    ),
  )(
    '%s: is invalid_argument with its detail and echoes nothing of it (%#)',
    async (_, protocol, body, field, rule) => {
      const before = await dumpDatabase(gateway.gateway.database);
      const answer = await call('ByokService/CreateByokKey', protocol, protocol.pack(Buffer.from(body)));
      expect(await dumpDatabase(gateway.gateway.database)).toBe(before);
      expectRefusal(answer, { field, rule });
    },
  );

  it.each(
    BINARY.flatMap((protocol) =>
      BROKEN_BINARY.map((broken) => [protocol.contentType, ...broken, protocol] as const),
    ),
  )('%s: %s is invalid_argument with its detail, never internal', async (_type, _what, bytes, protocol) => {
    const answer = await call('ByokService/CreateByokKey', protocol, protocol.pack(bytes));
    expectRefusal(answer, { field: '', rule: 'protobuf' });
  });

  it.each(['application/connect+proto', 'application/grpc', 'application/grpc-web+proto'])(
    '%s: so is a request for a stream that is no message',
    async (contentType) => {
      for (const [, bytes] of BROKEN_BINARY) {
        const body = enveloped(bytes);
        const answer = await call(
          'ChatService/StreamChatCompletion',
          { contentType },
          body,
          {},
          gateway.apiKey,
        );
        expectRefusal(answer, { field: '', rule: 'protobuf' });
      }
    },
  );

  it.each(['application/connect+json', 'application/grpc+json', 'application/grpc-web+json'])(
    '%s: so is a request for a stream that is no JSON',
    async (contentType) => {
      for (const [json, field, rule] of [
        [`{"chat":"${CANARY}"}`, '', 'json'],
        [`{"chat":{"model":{"a":"${CANARY}"}}}`, 'model', 'type'],
        [CANARY, '', 'json'],
      ] as const) {
        const body = enveloped(Buffer.from(json));
        const answer = await call(
          'ChatService/StreamChatCompletion',
          { contentType },
          body,
          {},
          gateway.apiKey,
        );
        expectRefusal(answer, { field, rule });
      }
    },
  );

  it.each(UNARY)(
    '$contentType: a chat of millions of values is refused before it is parsed',
    async (protocol) => {
      const body = protocol.pack(huge(protocol));
      const began = performance.now();
      const answer = await call('ChatService/CreateChatCompletion', protocol, body, {}, gateway.apiKey);
      expectRefusal(answer, { field: '', rule: 'count' });
      expect(performance.now() - began).toBeLessThan(3000);
    },
  );

  it.each([
    'application/connect+json',
    'application/grpc+json',
    'application/grpc-web+json',
    'application/connect+proto',
    'application/grpc',
    'application/grpc-web+proto',
  ])('%s: so is such a request for a stream, compressed or not', async (contentType) => {
    const chat = huge({ contentType });
    const encoding = contentType.includes('connect') ? 'connect-content-encoding' : 'grpc-encoding';
    const headers = { [encoding]: 'gzip' };
    const bodies = [
      [enveloped(chat), {}],
      [enveloped(gzipSync(chat), 1), headers],
    ] as const;
    const began = performance.now();
    for (const [body, more] of bodies) {
      const answer = await call(
        'ChatService/StreamChatCompletion',
        { contentType },
        body,
        more,
        gateway.apiKey,
      );
      expectRefusal(answer, { field: '', rule: 'count' });
    }
    expect(performance.now() - began).toBeLessThan(3000);
  });

  it.each(BINARY)(
    '$contentType: a few bytes that decompress to megabytes are refused',
    async ({ contentType, pack }) => {
      const zeros = gzipSync(Buffer.alloc(2 ** 20));
      const isConnect = contentType === 'application/proto';
      const headers = { [isConnect ? 'content-encoding' : 'grpc-encoding']: 'gzip' };
      const body = isConnect ? pack(zeros) : enveloped(zeros, 1);
      for (const method of ['ChatService/CreateChatCompletion', 'ModelService/ListModels']) {
        const answer = await call(method, { contentType }, body, headers, gateway.apiKey);
        expect([answer.error?.code, answer.detail?.reason]).toEqual([
          Code.ResourceExhausted,
          'body_too_large',
        ]);
      }
    },
  );

  it('a stream of a large chat with few values is served, compressed or not', async () => {
    const text = JSON.stringify({
      chat: {
        model: 'demo/echo',
        messages: [{ role: 'user', content: { text: 'x' } }],
        extra: { pad: `${NOISE}${'x'.repeat(3e6)}` },
      },
    });
    const contentType = 'application/connect+json';
    for (const [body, headers] of [
      [enveloped(Buffer.from(text)), {}],
      [enveloped(gzipSync(text), 1), { 'connect-content-encoding': 'gzip' }],
    ] as const) {
      const answer = await call(
        'ChatService/StreamChatCompletion',
        { contentType },
        body,
        headers,
        gateway.apiKey,
      );
      expect(answer.error).toBeNull();
      expect(answer.message).not.toBeNull();
    }
  });

  it('arbitrary bytes over any transport are never an internal error', async () => {
    const protocols = fc.constantFrom(...UNARY);
    const methods = fc.constantFrom('KeyService/UpdateKey', 'GuardrailService/CreateGuardrail');
    await fc.assert(
      fc.asyncProperty(
        protocols,
        methods,
        fc.uint8Array({ maxLength: 64 }),
        async (protocol, method, bytes) => {
          const { error, detail } = await call(method, protocol, protocol.pack(bytes));
          if (error === null) return;
          expect(error.code).not.toBe(Code.Internal);
          expect(detail).toMatchObject({ userId: gateway.ownerUserId });
        },
      ),
      { numRuns: 200 },
    );
  });

  it.each(BINARY)('$contentType: nor to the health service', async ({ contentType, pack }) => {
    for (const [, bytes] of BROKEN_BINARY) {
      const url = `${gateway.url}/grpc.health.v1.Health/Check`;
      const { error, detail } = await callRaw({ url, contentType, body: pack(bytes) });
      expect([error?.code, detail?.reason]).toEqual([Code.InvalidArgument, 'invalid_request']);
    }
  });

  it('nothing of it is logged either', () => {
    expect(gateway.log.join('\n')).not.toContain('canary');
  });

  it('unknown members are ignored, as usual in proto JSON', async () => {
    const answer = await send(`${gateway.url}/byway.v1.ByokService/CreateByokKey`, 'POST', {
      headers: { authorization: `Bearer ${gateway.managementKey}`, 'content-type': 'application/json' },
      body: '{"provider":"a","key":"demo-echo-0123456789","nonsense":1}',
    });
    expect([answer.status, (bodyOf(answer).data as Row).provider]).toEqual([200, 'a']);
  });

  function expectRefusal(
    { error, detail, headers }: Awaited<ReturnType<typeof call>>,
    violation: { field: string; rule: string },
  ) {
    expect([error?.code, detail?.httpStatus, detail?.reason]).toEqual([
      Code.InvalidArgument,
      400,
      'invalid_request',
    ]);
    expect(detail?.violations).toMatchObject([violation]);
    expect(detail?.userId).toMatch(/^user_/);
    expect(JSON.stringify([error?.rawMessage, detail?.violations, [...headers]])).not.toContain('canary');
  }
});
