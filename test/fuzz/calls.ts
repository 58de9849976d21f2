/** Calls of every transport, generated from the contract's own descriptors. */
import type { DescMethod, DescService } from '@bufbuild/protobuf';
import fc, { type Arbitrary } from 'fast-check';
import { ruleOf } from '../../src/protobuf/method-rule.js';
import { compileOperations } from '../../src/rest/compile.js';
import { enveloped } from '../support/raw-rpc.js';
import { credential, type KnownNames, requestTo, textsOf } from './arbitraries.js';
import { binaryMessage, jsonMessage } from './rpc-arbitraries.js';

/** The transports of the gateway. */
export const TRANSPORTS = ['rest', 'connect-json', 'connect-proto', 'grpc'] as const;

/** One request to send; gRPC over HTTP/2, all others over HTTP/1.1. */
export interface Call {
  readonly transport: (typeof TRANSPORTS)[number];
  /** The operation or method that it calls. */
  readonly target: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
}

/** Every target with its arbitrary. */
export function targets(services: readonly DescService[], known: KnownNames): Arbitrary<Call>[] {
  const methods: DescMethod[] = services.flatMap((service) => service.methods);
  const textOf = textsOf(known);
  return [
    ...compileOperations(services).flatMap((operation) => {
      const request = requestTo(operation, known);
      return [restCall(operation.id, request), restCall(operation.id, request)];
    }),
    ...methods.flatMap((method) => [
      rpcCall(method, 'connect-json', jsonMessage(method.input, textOf), known),
      rpcCall(method, 'connect-proto', binaryMessage(method.input, textOf), known),
      rpcCall(
        method,
        'grpc',
        fc.oneof(
          { weight: 8, arbitrary: binaryMessage(method.input, textOf) },
          { weight: 1, arbitrary: jsonMessage(method.input, textOf) },
        ),
        known,
      ),
    ]),
  ];
}

function restCall(target: string, request: ReturnType<typeof requestTo>): Arbitrary<Call> {
  return fc.tuple(request, oddHeaders, oddPath).map(([{ method, path, headers, body }, odd, changePath]) => ({
    transport: 'rest' as const,
    target,
    method,
    path: `/api/v1${changePath(path)}`,
    headers: { ...headers, ...odd },
    body: body === undefined ? undefined : Buffer.from(body),
  }));
}

function rpcCall(
  method: DescMethod,
  transport: Exclude<Call['transport'], 'rest'>,
  message: Arbitrary<Buffer>,
  known: KnownNames,
): Arbitrary<Call> {
  const path = `/${method.parent.typeName}/${method.name}`;
  const isStream = method.methodKind !== 'unary';
  const usual = CONTENT_TYPES[transport](isStream);
  const contentType = fc.oneof(
    { weight: 20, arbitrary: fc.constant(usual) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        'application/json',
        'application/proto',
        'application/connect+json',
        'application/grpc+json',
        'application/grpc-web',
        'application/grpc-web-text',
        'application/grpc+foo',
        'text/plain',
        '',
      ),
    },
  );
  const verb = fc.oneof(
    { weight: 30, arbitrary: fc.constant('POST') },
    { weight: 1, arbitrary: fc.constantFrom('GET', 'PUT', 'OPTIONS') },
  );
  const { roles } = ruleOf(method);
  const authorization = fc.oneof(
    { weight: 15, arbitrary: credential(known, roles).map((secret) => ({ authorization: secret })) },
    { weight: 1, arbitrary: fc.constant({}) },
  );
  const isEnveloped = transport === 'grpc' || isStream;
  const body = isEnveloped ? fc.tuple(message, envelopes).map(([bytes, pack]) => pack(bytes)) : message;
  return fc
    .tuple(body, contentType, verb, authorization, oddHeaders, oddPath)
    .map(([bytes, type, verbSent, authorized, odd, changePath]) => ({
      transport,
      target: method.name,
      method: verbSent,
      path: changePath(path),
      headers: { 'content-type': type, ...authorized, ...odd },
      body: verbSent === 'GET' ? undefined : bytes,
    }));
}

const CONTENT_TYPES: Record<Exclude<Call['transport'], 'rest'>, (isStream: boolean) => string> = {
  'connect-json': (isStream) => (isStream ? 'application/connect+json' : 'application/json'),
  'connect-proto': (isStream) => (isStream ? 'application/connect+proto' : 'application/proto'),
  grpc: () => 'application/grpc',
};

/** Mostly one whole envelope. */
const envelopes: Arbitrary<(bytes: Buffer) => Buffer> = fc.oneof(
  { weight: 12, arbitrary: fc.constant((bytes: Buffer) => enveloped(bytes)) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      (bytes: Buffer) => bytes,
      (bytes: Buffer) => enveloped(bytes, 1),
      (bytes: Buffer) => enveloped(bytes, 0x82),
      (bytes: Buffer) => Buffer.concat([enveloped(bytes), enveloped(bytes)]),
      (bytes: Buffer) => enveloped(bytes).subarray(0, -1),
      () => Buffer.alloc(0),
      () => Buffer.from([0, 0xff, 0xff, 0xff, 0xff]),
    ),
  },
);

/** Headers that change nothing, and some that do. */
const oddHeaders: Arbitrary<Record<string, string>> = fc.oneof(
  { weight: 12, arbitrary: fc.constant({}) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Record<string, string>>(
      { 'content-encoding': 'gzip' },
      { 'content-encoding': 'zstd' },
      { 'grpc-encoding': 'gzip' },
      { 'connect-content-encoding': 'br' },
      { 'accept-encoding': 'br;q=1, *', 'grpc-accept-encoding': 'gzip' },
      { 'connect-timeout-ms': 'soon', 'grpc-timeout': '1x' },
      { 'connect-timeout-ms': '9999999999', 'grpc-timeout': '99999999H' },
      { 'x-request-id': 'a b\u00ff'.repeat(50) },
      { 'x-http-method-override': 'DELETE', 'x-forwarded-for': '::1, "x"' },
      { 'if-none-match': '*', 'if-match': '"x"', range: 'bytes=0-1' },
      { accept: 'text/event-stream', origin: 'null', 'sec-fetch-mode': 'cors' },
      { cookie: `session=${'x'.repeat(3000)}` },
      { 'connect-protocol-version': '2' },
    ),
  },
);

const oddPath: Arbitrary<(path: string) => string> = fc.oneof(
  { weight: 30, arbitrary: fc.constant((path: string) => path) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      (path: string) => `${path}/`,
      (path: string) => `${path}?offset=1&offset=2&%00=%ff`,
      (path: string) => path.replace(/[a-z]/, '%2e%2e%2f'),
      (path: string) => `${path}%`,
      (path: string) => path.toUpperCase(),
      (path: string) => `${path}/${'x'.repeat(4000)}`,
    ),
  },
);
