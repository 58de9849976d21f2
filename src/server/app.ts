/** The one Fastify server: every door hangs on it, and every request passes the gate. */
import { type DescMethod, type DescMethodUnary, getOption } from '@bufbuild/protobuf';
import {
  type ConnectRouter,
  type ContextValues,
  createContextValues,
  type Interceptor,
  type Transport,
} from '@connectrpc/connect';
import { fastifyConnectPlugin } from '@connectrpc/connect-fastify';
import {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
  LogController,
} from 'fastify';
import { method as methodOption, Plane } from '../../gen/byway/options/v1/options_pb.js';
import { Health } from '../../gen/grpc/health/v1/health_pb.js';
import { ServerReflection } from '../../gen/grpc/reflection/v1/reflection_pb.js';
import { ServerReflection as ServerReflectionAlpha } from '../../gen/grpc/reflection/v1alpha/reflection_pb.js';
import type { Clock } from '../base/clock.js';
import type { Ids } from '../base/ids.js';
import { type Config, ConfigError } from '../config.js';
import type { Authenticator } from '../keys/authenticate.js';
import type { RateLimiter } from '../keys/rate-limit.js';
import { bodyLimitBytes } from '../rest/body.js';
import { compileOperations } from '../rest/compile.js';
import { sendError } from '../rest/envelope.js';
import { facade } from '../rest/facade.js';
import { FIXED_HEADERS } from '../rest/headers.js';
import { allowedMethods, refuseUnknownPaths } from '../rest/not-found.js';
import { registerOpenApi } from '../rest/openapi/register.js';
import type { Operation } from '../rest/operation.js';
import { callerKey } from '../rpc/caller.js';
import { createDirectTransport } from '../rpc/direct.js';
import { type Served, served } from '../rpc/served.js';
import { aliasFault } from '../wire/aliases.js';
import { boundRequests } from './bounded-streams.js';
import { shareAcrossOrigins } from './cors.js';
import { BUILT_DASHBOARD, registerDashboard } from './dashboard.js';
import { createDrain, type Drain } from './drain.js';
import { createGate, rpcRules } from './gate.js';
import { grpcHealth } from './grpc-health.js';
import { reflectionRoutes } from './grpc-reflection.js';
import { registerHealth } from './health.js';
import type { HttpLimits } from './http-limits.js';
import { createHttpServer } from './http-server.js';
import { knownPaths } from './known-paths.js';
import { registerMetrics } from './metrics.js';
import type { Family } from './metrics-families.js';
import { meterRequests } from './metrics-http.js';
import type { TlsIdentity } from './one-port.js';
import { createReadiness } from './readiness.js';
import { unaryRoutes } from './unary/routes.js';
import { explainUnreadable } from './unreadable.js';

/** What the server serves, and how. */
export interface AppParts {
  readonly services: readonly Served[];
  readonly interceptors: readonly Interceptor[];
  readonly transport: Transport;
  readonly authenticator: Authenticator;
  /** Counts administrative calls; null = no bound. */
  readonly rateLimiter: RateLimiter | null;
  /** What is counted behind the doors. */
  readonly metrics: readonly Family[];
  /** Rejects when requests could not be served now. */
  readonly check: () => Promise<void>;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly config: Pick<Config, 'corsOrigins' | 'fieldAliases' | 'publicUrl' | 'regionHosts'>;
  readonly logger: FastifyServerOptions['loggerInstance'];
  readonly limits?: Partial<HttpLimits>;
  readonly tls?: TlsIdentity;
  /** Where the built dashboard is; where the build puts it when left out. */
  readonly dashboard?: string;
}

/** The server, not listening yet, and its way down. */
export interface App {
  readonly server: FastifyInstance;
  readonly drain: Drain;
}

/**
 * Puts the doors on one server: REST, Connect, gRPC, gRPC-Web, gRPC health and reflection, the dashboard, `/healthz`,
 * `/readyz`, `/openapi.json`, `/metrics`.
 * Throws ConfigError for aliases that can't be sent.
 */
export async function createApp(parts: AppParts): Promise<App> {
  const { clock, config, ids, limits = {}, tls } = parts;
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
  checkAliases(config.fieldAliases, operations);
  const rules = rpcRules([...described, Health, ServerReflection, ServerReflectionAlpha]);
  const methodsOf = knownPaths(server, {
    operations: allowedMethods(operations),
    rpcPaths: new Set(rules.keys()),
  });
  server.setErrorHandler(sendError);
  server.decorateRequest('caller');
  server.decorateRequest('userId');
  server.decorate('fieldAliases', config.fieldAliases);
  const requests = meterRequests(server, rules);
  server.addHook('onRequest', (_, reply, done) => {
    reply.headers(FIXED_HEADERS);
    done();
  });
  if (config.corsOrigins.size > 0) {
    server.addHook('onRequest', shareAcrossOrigins(config.corsOrigins, methodsOf));
  }
  server.addHook('onRequest', refuseUnknownPaths(methodsOf));
  server.addHook(
    'onRequest',
    createGate({
      authenticator: parts.authenticator,
      clock,
      rateLimiter: parts.rateLimiter,
      rpcRules: rules,
      regionOf: (host) => config.regionHosts.get(host) ?? 'global',
      publicUrl: config.publicUrl,
    }),
  );
  if (server.log.level === 'debug' || server.log.level === 'trace') server.addHook('onResponse', logAccess);
  const health = { draining: () => drain.draining, check: parts.check };
  const readiness = createReadiness(health);
  registerOpenApi(server, operations, config.publicUrl, config.fieldAliases);
  registerMetrics(server, [...requests, ...parts.metrics]);
  registerHealth(server, health);
  registerDashboard(server, parts.dashboard ?? BUILT_DASHBOARD);
  await server.register(facade, {
    operations,
    transport: parts.transport,
    contextValues,
    aliases: config.fieldAliases,
  });
  const healthService = served(Health, grpcHealth(described, readiness));
  await server.register(unaryRoutes, {
    methods: unaryMethods(parts.services),
    transport: parts.transport,
    contextValues,
  });
  await server.register(unaryRoutes, {
    methods: unaryMethods([healthService]),
    transport: createDirectTransport([healthService], []),
  });
  await server.register(fastifyConnectPlugin, {
    contextValues,
    interceptors: [explainUnreadable, ...parts.interceptors],
    routes: (router) => routeStreams(router, parts.services),
  });
  await server.register(fastifyConnectPlugin, {
    shutdownSignal: readiness.shutdownSignal,
    routes: (router) => {
      routeStreams(router, [healthService]);
      reflectionRoutes([...described, Health])(router);
    },
  });
  server.addHook('preClose', async () => readiness.end());
  return { server, drain };
}

function checkAliases(aliases: Config['fieldAliases'], operations: readonly Operation[]): void {
  const methods = operations.flatMap(({ method, stream }) => [method, ...(stream ? [stream.method] : [])]);
  const fault = aliasFault(
    aliases,
    methods.map(({ output }) => output),
  );
  if (fault !== undefined) throw new ConfigError(`BYWAY_FIELD_ALIASES: ${fault}`);
}

/** The route and not the URL, in whose path and query callers have put secrets before. */
function logAccess(request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  const { method, routeOptions } = request;
  const ms = Math.round(reply.elapsedTime);
  request.log.debug({ method, route: routeOptions.url ?? null, status: reply.statusCode, ms }, 'answered');
  done();
}

function contextValues(request: FastifyRequest): ContextValues {
  return createContextValues().set(callerKey, request.caller);
}

function unaryMethods(services: readonly Served[]): DescMethodUnary[] {
  const isUnary = (method: DescMethod): method is DescMethodUnary => method.methodKind === 'unary';
  return services.flatMap(({ service }) => service.methods.filter(isUnary));
}

/** Each method is routed on its own: it has its own bound of a body. */
function routeStreams(router: ConnectRouter, services: readonly Served[]): void {
  for (const { service, implementation } of services) {
    for (const method of service.methods.filter(({ methodKind }) => methodKind !== 'unary')) {
      const call = implementation[method.localName];
      if (call === undefined) throw new TypeError(`${method.parent.typeName} lacks ${method.name}`);
      const { plane } = getOption(method, methodOption);
      const readMaxBytes = bodyLimitBytes(plane);
      router.rpc(method, call, { readMaxBytes });
      if (plane === Plane.INFERENCE) boundRequests(router, readMaxBytes);
    }
  }
}
