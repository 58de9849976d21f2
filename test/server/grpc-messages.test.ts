import { type DescMethod, fromJson, type JsonObject, toBinary } from '@bufbuild/protobuf';
import { Code, ConnectError } from '@connectrpc/connect';
import { fastifyConnectPlugin } from '@connectrpc/connect-fastify';
import * as grpc from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ChatService } from '../../gen/byway/v1/chat_pb.js';
import { Health, HealthCheckRequestSchema } from '../../gen/grpc/health/v1/health_pb.js';
import { systemClock } from '../../src/base/clock.js';
import { systemIds } from '../../src/base/ids.js';
import { defineService } from '../../src/rpc/define-service.js';
import { createInProcessTransport } from '../../src/rpc/in-process-transport.js';
import { createHttpServer } from '../../src/server/port/http-server.js';
import { adaptHandlers, routeStreams } from '../../src/server/rpc/stream-routes.js';
import { unaryRoutes } from '../../src/server/rpc/unary/routes.js';
import { startGateway } from '../support/gateway.js';
import { callRaw, enveloped } from '../support/raw-rpc.js';

/** Texts that percent-encoding could get wrong. */
const TEXTS = [
  'a: "b", it\'s {1}/[2]?a=b&c=d#e;f@g!$()*+~`^|\\<> end.',
  'Ünïcode größe, 模型, 😈',
  '100%-%41-%zz-%',
  '\nline\nfeed\r\ntab\tbell\u0007\n',
  'long: '.repeat(300).trim(),
];

/** A server whose calls fail with the text of their request. */
const server = createHttpServer({ clock: systemClock, ids: systemIds });
let url: string;

beforeAll(async () => {
  const failing = [
    defineService(Health, {
      check: ({ service }) => {
        throw new ConnectError(service, Code.NotFound);
      },
      list: () => ({}),
      async *watch({ service }) {
        if (service !== '') throw new ConnectError(service, Code.NotFound);
        yield {};
      },
    }),
  ];
  const limitOf = () => 2 ** 20;
  server.decorateRequest('userId');
  await server.register(unaryRoutes, {
    methods: [Health.method.check],
    transport: createInProcessTransport(failing, []),
    limitOf,
  });
  await server.register(fastifyConnectPlugin, {
    routes: adaptHandlers((router) => routeStreams(router, failing, { limitOf })),
  });
  url = await server.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(() => server.close());

const METHODS = [Health.method.check, Health.method.watch];
const CALLS = TEXTS.flatMap((text) => METHODS.map((method) => [method.name, text] as const));

function asking(service: string): Buffer {
  return Buffer.from(toBinary(HealthCheckRequestSchema, fromJson(HealthCheckRequestSchema, { service })));
}

/** The error of a call, as @grpc/grpc-js shows it. */
function failureOf(
  origin: string,
  path: string,
  message: Buffer,
  secret?: string,
): Promise<grpc.ServiceError> {
  const client = new grpc.Client(new URL(origin).host, grpc.credentials.createInsecure());
  const metadata = new grpc.Metadata();
  if (secret !== undefined) metadata.set('authorization', `Bearer ${secret}`);
  const asIs = (bytes: Buffer) => bytes;
  return new Promise<grpc.ServiceError>((resolve, reject) => {
    client
      .makeServerStreamRequest(path, asIs, asIs, message, metadata)
      .on('error', resolve)
      .on('data', () => reject(new Error('the call has not failed')));
  }).finally(() => client.close());
}

describe('a gRPC status message is percent-encoded only where the specification asks for it', () => {
  it.each(CALLS)('@grpc/grpc-js shows the text of %s as it is: %j', async (name, text) => {
    const { code, details } = await failureOf(url, `/grpc.health.v1.Health/${name}`, asking(text));
    expect([code, details]).toEqual([grpc.status.NOT_FOUND, text]);
  });

  it.each(CALLS)('over gRPC-Web, compressed or not: %s: %j', async (name, text) => {
    for (const accepted of ['identity', 'gzip', 'br']) {
      const { error } = await callRaw({
        url: `${url}/grpc.health.v1.Health/${name}`,
        contentType: 'application/grpc-web+proto',
        headers: { 'grpc-accept-encoding': accepted },
        body: enveloped(asking(text)),
      });
      expect([error?.code, error?.rawMessage]).toEqual([Code.NotFound, text]);
      expectPlain(error?.metadata.get('grpc-message') ?? '', text);
    }
  });

  it('of the gateway too, whether a service, the protocol or the guard refuses', async () => {
    const gateway = await startGateway();
    const { createChatCompletion, streamChatCompletion } = ChatService.method;
    for (const method of [createChatCompletion, streamChatCompletion]) {
      const path = `/byway.v1.ChatService/${method.name}`;
      const unknown = await failureOf(gateway.url, path, chat(method, 'no/größe: 100%'), gateway.apiKey);
      expect(unknown.details).toContain('"no/größe: 100%"');
      const invalid = await failureOf(gateway.url, path, chat(method, ''), gateway.apiKey);
      expect(invalid.details).toContain('model: ');
      expect((await failureOf(gateway.url, path, Buffer.alloc(0), 'x')).details).toBe('Invalid API key');
    }
  });

  it('a message that is not valid Unicode breaks nothing', async () => {
    for (const name of ['Check', 'Watch']) {
      const { error } = await callRaw({
        url: `${url}/grpc.health.v1.Health/${name}`,
        contentType: 'application/grpc-web+json',
        body: enveloped(Buffer.from('{"service":"a\\ud800b"}')),
      });
      expect(error).not.toBeNull();
    }
  });
});

function chat({ input }: DescMethod, model: string): Buffer {
  const request: JsonObject = { chat: { model, messages: [{ role: 'user', content: { text: 'x' } }] } };
  return Buffer.from(toBinary(input, fromJson(input, request)));
}

/** Expects that no byte is encoded without need. */
function expectPlain(sent: string, text: string): void {
  const bytes = [...Buffer.from(text, 'utf8')];
  const needful = bytes.filter((byte) => byte < 0x20 || byte > 0x7e || byte === 0x25);
  expect(sent.match(/%[0-9A-F]{2}/g) ?? []).toHaveLength(needful.length);
}
