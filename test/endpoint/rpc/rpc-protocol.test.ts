import { create, toBinary, toJsonString } from '@bufbuild/protobuf';
import { Code } from '@connectrpc/connect';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { StreamChatCompletionRequestSchema } from '../../../gen/byway/v1/chat_pb.js';
import { scriptedCatalog } from '../../support/catalog.js';
import { launchGateway } from '../../support/gateway.js';
import { enveloped, type RawAnswer } from '../../support/raw-rpc.js';
import { bodyOf, send } from '../../support/rest.js';
import { callerOn, ENVELOPED, newKey, UNARY } from './rpc-protocols.js';

let gateway: Awaited<ReturnType<typeof launchGateway>>;

beforeAll(async () => {
  gateway = await launchGateway({ catalog: scriptedCatalog() });
});
afterAll(() => gateway.stop());

const call = callerOn(() => gateway);

const STREAMS = ['connect+proto', 'connect+json', 'grpc', 'grpc+json', 'grpc-web+proto', 'grpc-web+json'].map(
  (format) => ({ contentType: `application/${format}` }),
);

function stream(protocol: { contentType: string }, body: Uint8Array, headers = {}): Promise<RawAnswer> {
  return call('ChatService/StreamChatCompletion', protocol, body, headers, gateway.apiKey);
}

/** A request for a stream in the content type. */
function chatRequest({ contentType }: { contentType: string }): Uint8Array {
  const schema = StreamChatCompletionRequestSchema;
  const chat = { model: 'demo/echo', messages: [{ role: 'user' }] };
  const message = create(schema, { chat });
  return contentType.endsWith('json')
    ? Buffer.from(toJsonString(schema, message))
    : toBinary(schema, message);
}

describe('a violation of the RPC protocol itself is reported by code and message alone', () => {
  it.each(ENVELOPED)('$contentType: no message, or several, is unimplemented', async (protocol) => {
    const whole = enveloped(newKey(protocol, 'n'));
    for (const body of [Buffer.alloc(0), Buffer.concat([whole, whole])]) {
      expectProtocolError(await call('KeyService/CreateKey', protocol, body), Code.Unimplemented);
    }
  });

  it.each(STREAMS)('$contentType: so it is for a stream', async (protocol) => {
    const whole = enveloped(chatRequest(protocol));
    for (const body of [Buffer.alloc(0), Buffer.concat([whole, whole])]) {
      expectProtocolError(await stream(protocol, body), Code.Unimplemented);
    }
  });

  it.each(ENVELOPED)(
    '$contentType: an envelope that is cut off or has unknown flags is invalid_argument',
    async (protocol) => {
      const message = newKey(protocol, 'n');
      const whole = enveloped(message);
      for (const body of [whole.subarray(0, 3), whole.subarray(0, -1), enveloped(message, 4)]) {
        expectProtocolError(await call('KeyService/CreateKey', protocol, body), Code.InvalidArgument);
      }
    },
  );

  it.each(STREAMS)('$contentType: so is one for a stream that is cut off', async (protocol) => {
    const whole = enveloped(chatRequest(protocol));
    for (const body of [whole.subarray(0, 3), whole.subarray(0, -1)]) {
      expectProtocolError(await stream(protocol, body), Code.InvalidArgument);
    }
  });

  it.each(ENVELOPED)(
    '$contentType: a compressed message without an encoding is internal',
    async (protocol) => {
      const body = enveloped(newKey(protocol, 'n'), 1);
      expectProtocolError(await call('KeyService/CreateKey', protocol, body), Code.Internal);
      const identity = await call('KeyService/CreateKey', protocol, body, { [protocol.names]: 'identity' });
      expectProtocolError(identity, Code.Internal);
    },
  );

  it.each(STREAMS)('$contentType: so is one for a stream', async (protocol) => {
    expectProtocolError(await stream(protocol, enveloped(chatRequest(protocol), 1)), Code.Internal);
  });

  it.each(UNARY)(
    '$contentType: an unknown encoding is unimplemented, and the known ones are listed',
    async (protocol) => {
      const answer = await call('KeyService/CreateKey', protocol, protocol.pack(newKey(protocol, 'n')), {
        [protocol.names]: 'canary-zip',
      });
      expectProtocolError(answer, Code.Unimplemented);
      expect(answer.headers.get(protocol.accepts)).toBe('gzip, br');
    },
  );

  it.each(STREAMS)('$contentType: so it is for a stream', async (protocol) => {
    const encoding = protocol.contentType.includes('grpc') ? 'grpc-encoding' : 'connect-content-encoding';
    const answer = await stream(protocol, enveloped(chatRequest(protocol), 1), { [encoding]: 'canary-zip' });
    expectProtocolError(answer, Code.Unimplemented);
  });

  function expectProtocolError({ error, detail, headers }: RawAnswer, code: Code): void {
    expect([error?.code, detail]).toEqual([code, null]);
    expect(JSON.stringify([error?.rawMessage, [...headers]])).not.toContain('canary');
  }
});

describe('a content type that RPCs do not support', () => {
  it.each([
    ['KeyService/CreateKey', 'image/jpeg'],
    ['KeyService/CreateKey', 'application/foo'],
    ['KeyService/CreateKey', 'application/grpc+foo'],
    ['KeyService/CreateKey', 'application/grpc-web+foo'],
    ['KeyService/CreateKey', 'application/connect+proto'],
    ['KeyService/CreateKey', 'application/json; charset=latin1'],
    ['BatchService/StreamBatchResults', 'application/connect+foo'],
  ])('is 415 without a Connect error, and lists the supported ones: %s as %s', async (method, type) => {
    const answer = await send(`${gateway.url}/byway.v1.${method}`, 'POST', {
      headers: { authorization: `Bearer ${gateway.managementKey}`, 'content-type': type },
      body: '{"name":"x"}',
    });
    const body = bodyOf(answer);
    expect([answer.status, body.code, body.details]).toEqual([415, undefined, undefined]);
    expect(body).toMatchObject({ error: { code: 415, metadata: { reason: 'unsupported_media_type' } } });
    for (const format of ['json', 'proto', 'connect+proto', 'grpc', 'grpc-web+json']) {
      expect((body.error as { message: string }).message).toContain(`application/${format}`);
      expect(answer.headers['accept-post']).toContain(`application/${format}`);
    }
  });
});

describe('a message of exactly the maximum size', () => {
  const MIB = 2 ** 20;

  it.each(UNARY)('$contentType: is read, and one byte more is refused', async (protocol) => {
    const empty = newKey(protocol, '').length;
    // In protobuf the name has a tag and three bytes of length before it, and none where it is empty.
    const around = protocol.contentType.endsWith('json') ? newKey(protocol, 'n').length - 1 : empty + 4;
    const [largest, more] = [MIB - around, MIB - around + 1].map((length) =>
      newKey(protocol, 'n'.repeat(length)),
    );
    expect([largest?.length, more?.length]).toEqual([MIB, MIB + 1]);
    const read = await call('KeyService/CreateKey', protocol, protocol.pack(largest ?? new Uint8Array()));
    expect([read.error?.code, read.detail?.violations[0]?.field]).toEqual([Code.InvalidArgument, 'name']);
    const refused = await call('KeyService/CreateKey', protocol, protocol.pack(more ?? new Uint8Array()));
    expect([refused.error?.code, refused.detail?.httpStatus]).toEqual([Code.ResourceExhausted, 413]);
  });
});
