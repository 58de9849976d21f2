/** Protobuf that may be expensive for the gateway, compressed and not, with a credential and without. */
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { Caller, RawRequest } from './request.js';
import { ADMINISTRATION_BYTES, INFERENCE_BYTES, type Shape } from './shape.js';
import { enveloped, field, repeated, same, varint } from './wire.js';

/** A message of so many pieces; bytes of a piece. */
interface Message {
  readonly pieceBytes: number;
  bytes(count: number): Buffer;
}

const UNKNOWN = 1000;
const tag = (wireType: number) => varint(UNKNOWN * 8 + wireType);

/** What no message of the contract has. */
const ANY: Readonly<Record<string, Message>> = {
  'unknown numbers': { pieceBytes: 3, bytes: (n) => same(n, Buffer.concat([tag(0), varint(1)])) },
  'unknown texts': { pieceBytes: 3, bytes: (n) => same(n, Buffer.concat([tag(2), varint(0)])) },
  'unknown groups': { pieceBytes: 4, bytes: (n) => same(n, Buffer.concat([tag(3), tag(4)])) },
  'groups in groups': { pieceBytes: 4, bytes: (n) => Buffer.concat([same(n, tag(3)), same(n, tag(4))]) },
  'a long unknown text': { pieceBytes: 1, bytes: (n) => field(UNKNOWN, Buffer.alloc(n)) },
};

const MESSAGES = field(3, field(1, 'user'), field(2, field(1, 'x')));
const chat = (...content: readonly Uint8Array[]) => field(1, field(1, 'demo/echo'), MESSAGES, ...content);
const struct = (...entries: readonly Uint8Array[]) => field(18, ...entries.map((entry) => field(1, entry)));
const list = (values: Uint8Array) => struct(Buffer.concat([field(1, 'x'), field(2, field(6, values))]));
const NUMBER = Buffer.concat([Buffer.of(0x11), Buffer.alloc(8)]);

const CHATS: Readonly<Record<string, Message>> = {
  ...Object.fromEntries(
    Object.entries(ANY).map(([name, { pieceBytes, bytes }]) => [
      name,
      { pieceBytes, bytes: (n) => chat(bytes(n)) },
    ]),
  ),
  'unknown numbers in messages': {
    pieceBytes: 20,
    bytes: (n) =>
      chat(repeated(n, () => field(3, field(1, 'user'), same(3, Buffer.concat([tag(0), varint(1)]))))),
  },
  messages: { pieceBytes: 13, bytes: (n) => chat(same(n, MESSAGES)) },
  'empty messages': { pieceBytes: 2, bytes: (n) => chat(same(n, Buffer.of(0x1a, 0))) },
  parts: {
    pieceBytes: 13,
    bytes: (n) => {
      const part = field(1, field(1, 'text'), field(2, 'x'));
      const message = field(3, field(1, 'user'), field(2, field(2, same(Math.min(n, 10_000), part))));
      return chat(same(Math.ceil(n / 10_000), message));
    },
  },
  'values of a Struct': {
    pieceBytes: 21,
    bytes: (n) =>
      chat(
        field(
          18,
          repeated(n, (i) => field(1, field(1, `k${i}`), field(2, NUMBER))),
        ),
      ),
  },
  'values of one name': {
    pieceBytes: 16,
    bytes: (n) => chat(field(18, same(n, field(1, field(1, 'k'), field(2, NUMBER))))),
  },
  'numbers in a list': { pieceBytes: 11, bytes: (n) => chat(list(same(n, field(1, NUMBER)))) },
  'nulls in a list': { pieceBytes: 4, bytes: (n) => chat(list(same(n, Buffer.of(0x0a, 2, 8, 0)))) },
  'lists in a list': { pieceBytes: 4, bytes: (n) => chat(list(same(n, Buffer.of(0x0a, 2, 0x32, 0)))) },
  'empty values': { pieceBytes: 2, bytes: (n) => chat(list(same(n, Buffer.of(0x0a, 0)))) },
  'lists in lists': {
    pieceBytes: 6,
    bytes: (n) => {
      let value: Buffer = Buffer.alloc(0);
      for (let depth = 0; depth < Math.min(n, 20_000); depth += 1) value = field(1, field(6, value));
      return chat(list(value));
    },
  },
  'models to try': {
    pieceBytes: 9,
    bytes: (n) =>
      chat(
        field(
          2,
          repeated(n, (i) => field(1, `m${i}`)),
        ),
      ),
  },
  'a model again and again': { pieceBytes: 11, bytes: (n) => chat(same(n, field(1, 'demo/echo'))) },
  'options again and again': { pieceBytes: 4, bytes: (n) => chat(same(n, Buffer.of(0x32, 2, 0x0a, 0))) },
  'a long name of a model': { pieceBytes: 1, bytes: (n) => chat(field(1, Buffer.alloc(n, 'm'))) },
  'a text': {
    pieceBytes: 1,
    bytes: (n) => chat(field(3, field(1, 'user'), field(2, field(1, Buffer.alloc(n, 'a'))))),
  },
  'a text of three bytes a letter': {
    pieceBytes: 3,
    bytes: (n) => chat(field(3, field(1, 'user'), field(2, field(1, '漢'.repeat(n))))),
  },
};

/** Those that are sent by more transports than one. */
const SOME_CHATS = Object.fromEntries(
  [
    'unknown numbers',
    'unknown groups',
    'messages',
    'parts',
    'values of a Struct',
    'nulls in a list',
    'a text',
  ].map((name) => [name, CHATS[name] as Message]),
);

const KEY_FIELDS: Readonly<Record<string, Message>> = {
  ...ANY,
  'paths of a mask': {
    pieceBytes: 8,
    bytes: (n) =>
      Buffer.concat([
        field(1, field(1, 'x')),
        field(
          3,
          repeated(n, (i) => field(1, `p${i}`)),
        ),
      ]),
  },
};

const GZIP = (bytes: Buffer) => gzipSync(bytes, { level: 9 });
const BROTLI = (bytes: Buffer) =>
  brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } });

/** Protobuf over all transports that accept it. */
export const BINARY_SHAPES: readonly Shape[] = [
  ...shapes('Connect proto chat', CHATS, INFERENCE_BYTES, (bytes) =>
    connect('ChatService/CreateChatCompletion', 'api key', bytes),
  ),
  ...shapes('gRPC chat', SOME_CHATS, INFERENCE_BYTES, (bytes) =>
    grpc('byway.v1.ChatService/CreateChatCompletion', 'api key', bytes),
  ),
  ...shapes('gRPC stream', SOME_CHATS, INFERENCE_BYTES, (bytes) =>
    grpc('byway.v1.ChatService/StreamChatCompletion', 'api key', bytes),
  ),
  ...shapes('gzip Connect proto chat', SOME_CHATS, INFERENCE_BYTES, (bytes) =>
    connect('ChatService/CreateChatCompletion', 'api key', GZIP(bytes), 'gzip'),
  ),
  ...shapes('br Connect proto chat', ANY, INFERENCE_BYTES, (bytes) =>
    connect('ChatService/CreateChatCompletion', 'api key', BROTLI(bytes), 'br'),
  ),
  ...shapes('gzip gRPC stream', ANY, INFERENCE_BYTES, (bytes) =>
    grpc('byway.v1.ChatService/StreamChatCompletion', 'api key', GZIP(bytes), 'gzip'),
  ),
  ...shapes('Connect proto UpdateKey', KEY_FIELDS, ADMINISTRATION_BYTES, (bytes) =>
    connect('KeyService/UpdateKey', 'management key', bytes),
  ),
  ...shapes('gzip Connect proto UpdateKey', KEY_FIELDS, ADMINISTRATION_BYTES, (bytes) =>
    connect('KeyService/UpdateKey', 'management key', GZIP(bytes), 'gzip'),
  ),
  ...shapes('Connect proto ListModels', ANY, ADMINISTRATION_BYTES, (bytes) =>
    connect('ModelService/ListModels', 'nobody', bytes),
  ),
  ...shapes('gzip Connect proto ListModels', ANY, ADMINISTRATION_BYTES, (bytes) =>
    connect('ModelService/ListModels', 'nobody', GZIP(bytes), 'gzip'),
  ),
  ...shapes('gRPC health', ANY, ADMINISTRATION_BYTES, (bytes) =>
    grpc('grpc.health.v1.Health/Check', 'nobody', bytes),
  ),
  ...shapes('gzip gRPC health', ANY, ADMINISTRATION_BYTES, (bytes) =>
    grpc('grpc.health.v1.Health/Check', 'nobody', GZIP(bytes), 'gzip'),
  ),
  ...shapes('gRPC health watch', ANY, ADMINISTRATION_BYTES, (bytes) =>
    grpc('grpc.health.v1.Health/Watch', 'nobody', bytes, undefined),
  ),
  ...shapes('gRPC reflection', ANY, INFERENCE_BYTES, (bytes) =>
    grpc('grpc.reflection.v1.ServerReflection/ServerReflectionInfo', 'nobody', bytes),
  ),
  ...shapes('gzip gRPC reflection', ANY, INFERENCE_BYTES, (bytes) =>
    grpc('grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo', 'nobody', GZIP(bytes), 'gzip'),
  ),
  {
    name: 'gRPC reflection: questions',
    maxCount: Math.floor(INFERENCE_BYTES / 9),
    make: (n) => ({
      ...grpc('grpc.reflection.v1.ServerReflection/ServerReflectionInfo', 'nobody', Buffer.alloc(0)),
      body: same(n, enveloped(field(7, 'x'))),
    }),
  },
];

function shapes(
  what: string,
  all: Readonly<Record<string, Message>>,
  limitBytes: number,
  request: (bytes: Buffer) => RawRequest,
): Shape[] {
  return Object.entries(all).map(([name, { pieceBytes, bytes }]) => ({
    name: `${what}: ${name}`,
    maxCount: Math.floor((limitBytes - 500) / pieceBytes),
    make: (count) => request(bytes(count)),
  }));
}

function connect(method: string, caller: Caller, body: Buffer, encoding?: string): RawRequest {
  const headers = {
    'content-type': 'application/proto',
    ...(encoding !== undefined && { 'content-encoding': encoding }),
  };
  return { method: 'POST', path: `/byway.v1.${method}`, caller, headers, body };
}

function grpc(method: string, caller: Caller, bytes: Buffer, encoding?: string): RawRequest {
  const headers = {
    'content-type': 'application/grpc',
    ...(encoding !== undefined && { 'grpc-encoding': encoding }),
  };
  const body = enveloped(bytes, encoding === undefined ? 0 : 1);
  return { method: 'POST', path: `/${method}`, caller, headers, body };
}
