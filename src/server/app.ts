/** The one Fastify server: every door hangs on it, and every request passes the gate. */
import { type DescService, getOption } from '@bufbuild/protobuf';
import {
  type ContextValues,
  createContextValues,
  type Interceptor,
  type Transport,
} from '@connectrpc/connect';
import { fastifyConnectPlugin } from '@connectrpc/connect-fastify';
import { type FastifyInstance, type FastifyRequest, type FastifyServerOptions, LogController } from 'fastify';
import { method as methodOption } from '../../gen/byway/options/v1/options_pb.js';
import { Health } from '../../gen/grpc/health/v1/health_pb.js';
import { ServerReflection } from '../../gen/grpc/reflection/v1/reflection_pb.js';
import { ServerReflection as ServerReflectionAlpha } from '../../gen/grpc/reflection/v1alpha/reflection_pb.js';
import type { Clock } from '../base/clock.js';
import type { Ids } from '../base/ids.js';
import type { Authenticator } from '../keys/authenticate.js';
import { bodyLimitBytes } from '../rest/body.js';
import { compileOperations } from '../rest/compile.js';
import { sendError } from '../rest/envelope.js';
import { facade } from '../rest/facade.js';
import { FIXED_HEADERS } from '../rest/headers.js';
import { allowedMethods, refuseUnknownPaths } from '../rest/not-found.js';
import { callerKey } from '../rpc/caller.js';
import type { Served } from '../rpc/served.js';
import { createDrain, type Drain } from './drain.js';
import { createGate, rpcRules } from './gate.js';
import { grpcHealth } from './grpc-health.js';
import { reflectionRoutes } from './grpc-reflection.js';
import { registerHealth } from './health.js';
import type { HttpLimits } from './http-limits.js';
import { createHttpServer } from './http-server.js';
import type { TlsIdentity } from './one-port.js';
import { createReadiness } from './readiness.js';

/** What the server serves, and how. */
export interface AppParts {
  readonly services: readonly Served[];
  readonly interceptors: readonly Interceptor[];
  readonly transport: Transport;
  readonly authenticator: Authenticator;
  /** Rejects when requests could not be served now. */
  readonly check: () => Promise<void>;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly regionHosts: ReadonlyMap<string, string>;
  readonly publicUrl: string | null;
  readonly logger: FastifyServerOptions['loggerInstance'];
  readonly limits?: Partial<HttpLimits>;
  readonly tls?: TlsIdentity;
}

/** The server, not listening yet, and its way down. */
export interface App {
  readonly server: FastifyInstance;
  readonly drain: Drain;
}

/** Puts the doors on one server: REST, Connect, gRPC, gRPC-Web, gRPC health and reflection, `/healthz`, `/readyz`. */
export async function createApp(parts: AppParts): Promise<App> {
  const { clock, ids, limits = {}, tls } = parts;
  const server = createHttpServer({
    clock,
    ids,
    limits,
    tls,
    fastify: {
      ...(parts.logger === undefined ? {} : { loggerInstance: parts.logger }),
      logController: new LogController({ disableRequestLogging: true }),
    },
  });
  const drain = createDrain({ app: server, log: server.log });
  const described = parts.services.map(({ service }) => service);
  const operations = compileOperations(described);
  server.setErrorHandler(sendError);
  server.decorateRequest('caller');
  server.decorateRequest('userId');
  server.addHook('onRequest', async (_, reply) => {
    reply.headers(FIXED_HEADERS);
  });
  server.addHook('onRequest', refuseUnknownPaths(allowedMethods(operations)));
  server.addHook(
    'onRequest',
    createGate({
      authenticator: parts.authenticator,
      clock,
      rpcRules: rpcRules([...described, Health, ServerReflection, ServerReflectionAlpha]),
      regionOf: (host) => parts.regionHosts.get(host) ?? 'global',
      publicUrl: parts.publicUrl,
    }),
  );
  server.addHook('onResponse', async (request, reply) => {
    const { method, url } = request;
    request.log.debug(
      { method, url, status: reply.statusCode, ms: Math.round(reply.elapsedTime) },
      'answered',
    );
  });
  const readiness = createReadiness();
  registerHealth(server, { draining: () => drain.draining, check: parts.check });
  await server.register(facade, {
    operations,
    transport: parts.transport,
    contextValues,
    aliases: new Map(),
  });
  await server.register(fastifyConnectPlugin, {
    contextValues,
    interceptors: [...parts.interceptors],
    routes: (router) => {
      for (const { service, implementation } of parts.services) {
        router.service(service, implementation, { readMaxBytes: readMaxBytes(service) });
      }
    },
  });
  await server.register(fastifyConnectPlugin, {
    shutdownSignal: readiness.shutdownSignal,
    routes: (router) => {
      router.service(Health, grpcHealth(described, readiness));
      reflectionRoutes([...described, Health])(router);
    },
  });
  server.addHook('preClose', async () => readiness.end());
  return { server, drain };
}

function contextValues(request: FastifyRequest): ContextValues {
  return createContextValues().set(callerKey, request.caller);
}

/** Connect has one bound for a service: that of its most generous method. */
function readMaxBytes(service: DescService): number {
  return Math.max(...service.methods.map((method) => bodyLimitBytes(getOption(method, methodOption).plane)));
}
