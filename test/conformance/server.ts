/**
 * One server under test: reads its settings from standard input, serves the suite's service as the gateway serves its
 * own, and writes its address to standard output. The argument is the descriptor set of the suite's protocol.
 */
import { create, type DescMethod, type DescMethodUnary, fromBinary, toBinary } from '@bufbuild/protobuf';
import { type ConnectError, createContextValues, type Interceptor } from '@connectrpc/connect';
import { fastifyConnectPlugin } from '@connectrpc/connect-fastify';
import type { FastifyInstance } from 'fastify';
import { Plane } from '../../gen/byway/options/v1/options_pb.js';
import { systemClock } from '../../src/base/clock.js';
import { systemIds } from '../../src/base/ids.js';
import { Problem } from '../../src/base/problem.js';
import { sendError } from '../../src/http/error-envelope.js';
import { refuseUnknownPaths } from '../../src/rest/not-found.js';
import { toConnectError } from '../../src/rpc/errors.js';
import { createInProcessTransport } from '../../src/rpc/in-process-transport.js';
import { createCallerChecks } from '../../src/server/guard/caller-checks.js';
import { createHosts } from '../../src/server/guard/hosts.js';
import { knownPaths } from '../../src/server/guard/known-paths.js';
import { createRefuseRequest } from '../../src/server/guard/refuse.js';
import { createRequestGuard } from '../../src/server/guard/request-guard.js';
import { type RpcPath, rpcPaths } from '../../src/server/guard/rpc-paths.js';
import { createHttpServer } from '../../src/server/port/http-server.js';
import { Http2Routes } from '../../src/server/port/http2-routes.js';
import { useReceived } from '../../src/server/rpc/stream-request-limit.js';
import { adaptHandlers, routeStreams } from '../../src/server/rpc/stream-routes.js';
import type { CallRequest } from '../../src/server/rpc/unary/options.js';
import { unaryRoutes } from '../../src/server/rpc/unary/routes.js';
import { explainDecodeErrors } from '../../src/server/rpc/wire/decode-errors.js';
import { readSchema, type ServerCompatRequest } from './schema.js';
import { conformanceService, requestKey } from './service.js';

const HOST = '127.0.0.1';

const [, , file = ''] = process.argv;
const schema = readSchema(file);
const wanted = fromBinary(schema.message('ServerCompatRequest'), await readFrame()) as ServerCompatRequest;
const http2Routes = new Http2Routes();
const paths = new Map([...rpcPaths([schema.service])].map(([path, known]) => [path, inference(known)]));
const admission = createCallerChecks({
  authenticator: {
    authenticate: async () => ({ kind: 'anonymous' }),
    authenticateFromMemory: () => ({ kind: 'anonymous' }),
  },
  clock: systemClock,
  rateLimiter: null,
  hosts: createHosts({ hosts: null, regionHosts: new Map(), publicUrl: null, trustedProxies: 0 }),
  trustedProxies: 0,
  isDraining: () => false,
});
const server = createServer();
await mount();
const { port } = new URL(await server.listen({ host: HOST, port: 0 }));
const answer = create(schema.message('ServerCompatResponse'), {
  host: HOST,
  port: Number(port),
  ...(wanted.useTls && wanted.serverCreds && { pemCert: wanted.serverCreds.cert }),
});
writeFrame(toBinary(schema.message('ServerCompatResponse'), answer));

/** The server with everything that a request passes before it is routed. */
function createServer(): FastifyInstance {
  const { cert, key } = wanted.serverCreds ?? {};
  const tls = wanted.useTls && cert && key ? { cert: Buffer.from(cert), key: Buffer.from(key) } : undefined;
  const http = createHttpServer({ clock: systemClock, ids: systemIds, tls, http2Routes });
  http.setErrorHandler(sendError);
  http.decorateRequest('caller');
  http.decorateRequest('userId');
  http.addHook(
    'onRequest',
    refuseUnknownPaths(knownPaths(http, { operations: () => [], rpcPaths: paths }), () => ''),
  );
  http.addHook(
    'onRequest',
    createRequestGuard({ admission, refuse: createRefuseRequest(paths), rpcPaths: paths }),
  );
  return http;
}

/** The path in the traffic class with the largest bodies. */
function inference(path: RpcPath): RpcPath {
  return { ...path, rule: { ...path.rule, plane: Plane.INFERENCE } };
}

async function mount(): Promise<void> {
  const { registry, service } = schema;
  const services = [conformanceService(schema)];
  const limitOf = () => wanted.messageReceiveLimit || 2 ** 20;
  const contextValues = (request: CallRequest) => createContextValues().set(requestKey, request);
  await server.register(unaryRoutes, {
    methods: service.methods.filter(isUnary),
    transport: createInProcessTransport(services, []),
    limitOf,
    contextValues,
    registry,
    toError: plainError,
    streams: {
      routes: http2Routes,
      admission,
      ruleOf: (path) => paths.get(path)?.rule,
      ids: systemIds,
      log: server.log,
    },
  });
  await server.register(fastifyConnectPlugin, {
    contextValues,
    interceptors: [explainDecodeErrors, useReceived, tellPlainlyInStreams],
    jsonOptions: { registry },
    routes: adaptHandlers((router) =>
      routeStreams(router, services, { limitOf, isReadHere: true, registry }),
    ),
  });
}

function isUnary(method: DescMethod): method is DescMethodUnary {
  return method.methodKind === 'unary';
}

/**
 * The suite counts the details of errors. It limits messages too, for which the gateway adds its ErrorDetail;
 * whatever else it provokes must have none already.
 */
function plainError(problem: Problem): ConnectError {
  const error = toConnectError(problem, undefined);
  if (problem.reason === 'body_too_large') error.details = [];
  return error;
}

function tellPlainlyInStreams(next: Parameters<Interceptor>[0]): ReturnType<Interceptor> {
  return async (request) => {
    try {
      return await next(request);
    } catch (thrown) {
      throw thrown instanceof Problem ? plainError(thrown) : thrown;
    }
  };
}

/** Standard input is a length in four bytes and as many bytes; what follows is of no interest. */
async function readFrame(): Promise<Buffer> {
  let received = Buffer.alloc(0);
  for await (const piece of process.stdin) {
    received = Buffer.concat([received, piece]);
    if (received.length >= 4 && received.length >= 4 + received.readUInt32BE(0)) break;
  }
  return received.subarray(4);
}

function writeFrame(bytes: Uint8Array): void {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  process.stdout.write(Buffer.concat([length, bytes]));
}
