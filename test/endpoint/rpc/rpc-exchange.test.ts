import { brotliCompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { create, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { Code } from '@connectrpc/connect';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type ChatRequestSchema,
  CreateChatCompletionRequestSchema,
  StreamChatCompletionRequestSchema,
} from '../../../gen/byway/v1/chat_pb.js';
import {
  CreateKeyResponseSchema,
  ListKeysRequestSchema,
  ListKeysResponseSchema,
} from '../../../gen/byway/v1/keys_pb.js';
import { scriptedCatalog } from '../../support/catalog.js';
import { launchGateway } from '../../support/gateway.js';
import { enveloped } from '../../support/raw-rpc.js';
import { BINARY, callerOn, isJson, newKey, UNARY } from './rpc-protocols.js';

let gateway: Awaited<ReturnType<typeof launchGateway>>;

beforeAll(async () => {
  gateway = await launchGateway({ catalog: scriptedCatalog() });
});
afterAll(() => gateway.stop());

const CANARY = 'canaryQ7-0123456789';
const MIB = 1024 * 1024;
const call = callerOn(() => gateway);

/** A slow answer: 20 ms per word. */
const SLOW_CHAT: MessageInitShape<typeof ChatRequestSchema> = {
  model: 'demo/slow-20',
  messages: [{ role: 'user', content: { form: { case: 'text', value: 'word '.repeat(500) } } }],
};
const SLOW = create(CreateChatCompletionRequestSchema, { chat: SLOW_CHAT });
const QUICK = create(StreamChatCompletionRequestSchema, { chat: { ...SLOW_CHAT, model: 'demo/echo' } });
const ASKING = create(StreamChatCompletionRequestSchema, { chat: SLOW_CHAT });

describe('a body that is too large', () => {
  it.each(UNARY)(
    '$contentType: is resource_exhausted with its detail, its length announced or not',
    async (protocol) => {
      const { error, detail } = await call(
        'KeyService/CreateKey',
        protocol,
        protocol.pack(newKey(protocol, 'x'.repeat(MIB))),
      );
      expect([error?.code, detail?.httpStatus, detail?.reason]).toEqual([
        Code.ResourceExhausted,
        413,
        'body_too_large',
      ]);
      expect(detail?.userId).toBe(gateway.ownerUserId);
    },
  );

  it.each(UNARY)('$contentType: so is one that becomes too large by decompression', async (protocol) => {
    const body = protocol.pack(gzipSync(newKey(protocol, 'x'.repeat(64 * MIB))), 1);
    const { error, detail } = await call('KeyService/CreateKey', protocol, body, {
      [protocol.names]: 'gzip',
    });
    expect([error?.code, detail?.reason]).toEqual([Code.ResourceExhausted, 'body_too_large']);
  });
});

describe('compression', () => {
  it.each(
    UNARY.flatMap((protocol) => [
      ['gzip', gzipSync, protocol] as const,
      ['br', brotliCompressSync, protocol] as const,
    ]),
  )('a request may come in %s', async (encoding, compress, protocol) => {
    const body = protocol.pack(compress(newKey(protocol, 'Packed')), 1);
    const { error, message } = await call('KeyService/CreateKey', protocol, body, {
      [protocol.names]: encoding,
    });
    expect(error).toBeNull();
    if (!isJson(protocol)) {
      expect(fromBinary(CreateKeyResponseSchema, message ?? Buffer.alloc(0)).data?.name).toBe('Packed');
    }
  });

  it.each(UNARY)(
    '$contentType: a body that is not compressed as declared is invalid_argument',
    async (protocol) => {
      const body = protocol.pack(newKey(protocol, 'n'), 1);
      const { error, detail } = await call('KeyService/CreateKey', protocol, body, {
        [protocol.names]: 'gzip',
      });
      expect([error?.code, detail?.violations[0]?.rule]).toEqual([Code.InvalidArgument, 'compression']);
    },
  );

  it.each(BINARY)(
    '$contentType: a large answer is compressed where accepted, a small one is not',
    async (protocol) => {
      for (let count = 0; count < 10; count++)
        await call('KeyService/CreateKey', protocol, protocol.pack(newKey(protocol, 'n')));
      const accepting = { [protocol.accepts]: 'zstd, gzip' };
      const list = (limit: number) =>
        call(
          'KeyService/ListKeys',
          protocol,
          protocol.pack(toBinary(ListKeysRequestSchema, create(ListKeysRequestSchema, { limit }))),
          accepting,
        );
      const [large, small] = [await list(50), await list(1)];
      const { headers, isCompressed } = large;
      expect(isCompressed || protocol.names === 'content-encoding').toBe(true);
      expect(headers.get(protocol.names)).toBe('gzip');
      // In Connect's unary protocol `fetch` has decompressed the answer already.
      const sent = large.message ?? Buffer.alloc(0);
      const bytes = isCompressed ? gunzipSync(sent) : sent;
      expect(fromBinary(ListKeysResponseSchema, bytes).data.length).toBeGreaterThan(9);
      expect([small.isCompressed, small.headers.get(protocol.names)]).toEqual([false, null]);
      expect(fromBinary(ListKeysResponseSchema, small.message ?? Buffer.alloc(0)).data).toHaveLength(1);
    },
  );
});

describe('deadlines', () => {
  it.each(BINARY)('$contentType: a call beyond its deadline is deadline_exceeded', async (protocol) => {
    const body = protocol.pack(toBinary(CreateChatCompletionRequestSchema, SLOW));
    const timeout =
      protocol.names === 'grpc-encoding' ? { 'grpc-timeout': '100m' } : { 'connect-timeout-ms': '100' };
    const { error, detail } = await call(
      'ChatService/CreateChatCompletion',
      protocol,
      body,
      timeout,
      gateway.apiKey,
    );
    expect([error?.code, detail?.httpStatus, detail?.reason]).toEqual([
      Code.DeadlineExceeded,
      408,
      'request_timeout',
    ]);
  });

  it.each(UNARY)('$contentType: a malformed timeout is invalid_argument', async (protocol) => {
    const timeout =
      protocol.names === 'grpc-encoding' ? { 'grpc-timeout': CANARY } : { 'connect-timeout-ms': CANARY };
    const { error, detail } = await call(
      'KeyService/CreateKey',
      protocol,
      protocol.pack(newKey(protocol, 'n')),
      timeout,
    );
    expect([error?.code, detail?.violations[0]?.rule]).toEqual([Code.InvalidArgument, 'timeout']);
    expect(error?.rawMessage).not.toContain('canary');
  });

  it.each(UNARY)('$contentType: a timeout beyond the maximum of timers is no deadline', async (protocol) => {
    const timeout =
      protocol.names === 'grpc-encoding'
        ? { 'grpc-timeout': '99999999H' }
        : { 'connect-timeout-ms': '9999999999' };
    expect(
      (await call('KeyService/CreateKey', protocol, protocol.pack(newKey(protocol, 'n')), timeout)).error,
    ).toBeNull();
  });
});

describe('streams, which the library serves', () => {
  const STREAMS = ['application/connect+proto', 'application/grpc', 'application/grpc-web+proto'].map(
    (contentType) => ({ contentType }),
  );
  const stream = (protocol: { contentType: string }, body: Uint8Array, headers = {}) =>
    call('ChatService/StreamChatCompletion', protocol, body, headers, gateway.apiKey);

  it.each(STREAMS)('$contentType: a body that is too large has its detail', async (protocol) => {
    // More than 32 MiB, which the client of the test does not send over HTTP/2.
    if (protocol.contentType === 'application/grpc') return;
    const large = await stream(protocol, enveloped(Buffer.alloc(33 * MIB)));
    expect([large.error?.code, large.detail?.reason]).toEqual([Code.ResourceExhausted, 'body_too_large']);
  });

  it.each(STREAMS)(
    '$contentType: a timeout beyond the maximum of timers is no deadline',
    async (protocol) => {
      const timeout = protocol.contentType.includes('grpc')
        ? { 'grpc-timeout': '99999999H' }
        : { 'connect-timeout-ms': '9999999999' };
      const body = enveloped(toBinary(StreamChatCompletionRequestSchema, QUICK));
      expect((await stream(protocol, body, timeout)).error).toBeNull();
    },
  );

  it.each(STREAMS)('$contentType: a malformed timeout is invalid_argument', async (protocol) => {
    const timeout = protocol.contentType.includes('grpc')
      ? { 'grpc-timeout': CANARY }
      : { 'connect-timeout-ms': CANARY };
    const body = enveloped(toBinary(StreamChatCompletionRequestSchema, ASKING));
    const { error, detail } = await stream(protocol, body, timeout);
    expect([error?.code, detail?.violations[0]?.rule]).toEqual([Code.InvalidArgument, 'timeout']);
    expect(error?.rawMessage).not.toContain('canary');
  });

  it.each(STREAMS)('$contentType: one beyond its deadline is deadline_exceeded', async (protocol) => {
    const timeout = protocol.contentType.includes('grpc')
      ? { 'grpc-timeout': '100m' }
      : { 'connect-timeout-ms': '100' };
    const { error } = await stream(
      protocol,
      enveloped(toBinary(StreamChatCompletionRequestSchema, ASKING)),
      timeout,
    );
    expect(error?.code).toBe(Code.DeadlineExceeded);
  });
});
