/** The one Fastify server: every transport is registered on it, and every request passes the request guard. */
import type { DescMethod, DescMethodUnary } from '@bufbuild/protobuf';
import { type ContextValues, createContextValues, type Interceptor } from '@connectrpc/connect';
import { fastifyConnectPlugin } from '@connectrpc/connect-fastify';
import {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
  LogController,
} from 'fastify';
import { Dialect } from '../../gen/byway/options/v1/options_pb.js';
import { Health } from '../../gen/grpc/health/v1/health_pb.js';
import { ServerReflection } from '../../gen/grpc/reflection/v1/reflection_pb.js';
import { ServerReflection as ServerReflectionAlpha } from '../../gen/grpc/reflection/v1alpha/reflection_pb.js';
import type { Clock } from '../base/clock.js';
import type { Ids } from '../base/ids.js';
import { shuttingDown } from '../base/problem.js';
import { type Config, ConfigError } from '../config.js';
import { bodyLimitBytes } from '../http/body.js';
import { type ErrorForm, sendError } from '../http/envelope.js';
import { FIXED_HEADERS } from '../http/headers.js';
import type { Authenticator } from '../identity/authenticate.js';
import type { RateLimiter } from '../identity/rate-limit.js';
import { aliasViolation } from '../protobuf/aliases.js';
import { planeOf } from '../protobuf/method-rule.js';
import { AnswerCache } from '../rest/answer-cache.js';
import { compileOperations } from '../rest/compile.js';
import { dialects } from '../rest/dialect.js';
import { allowedMethods, refuseUnknownPaths } from '../rest/not-found.js';
import { registerOpenApi } from '../rest/openapi/register.js';
import type { Operation } from '../rest/operation.js';
import { restPlugin } from '../rest/rest-plugin.js';
import { callerKey } from '../rpc/caller.js';
import { defineService, type ServiceDefinition } from '../rpc/define-service.js';
import { createInProcessTransport, type InProcessTransport } from '../rpc/in-process-transport.js';
import { BUILT_DASHBOARD, registerDashboard } from './dashboard.js';
import { createAdmission } from './guard/admission.js';
import { shareAcrossOrigins } from './guard/cors.js';
import { createHostGuard } from './guard/host-guard.js';
import { createHosts } from './guard/hosts.js';
import { knownPaths } from './guard/known-paths.js';
import { createRefuse } from './guard/refuse.js';
import { createRequestGuard } from './guard/request-guard.js';
import { rpcPaths } from './guard/rpc-paths.js';
import { createDrain, type Drain } from './health/drain.js';
import { grpcHealth } from './health/grpc-health.js';
import { registerHealth } from './health/health.js';
import { createReadiness } from './health/readiness.js';
import { answerFamilies } from './metrics/answers.js';
import type { Family } from './metrics/families.js';
import { unboundHosts } from './metrics/hosts.js';
import { meterRequests } from './metrics/http.js';
import { registerMetrics } from './metrics/route.js';
import type { HttpLimits } from './port/http-limits.js';
import { createHttpServer } from './port/http-server.js';
import { Http2Routes } from './port/http2-routes.js';
import type { TlsIdentity } from './port/one-port.js';
import { endConnections, refuseUnanswered } from './port/open-answers.js';
import { PublicPath } from './port/public-path.js';
import { createUncaughtErrors, type UncaughtErrors } from './port/uncaught.js';
import { explainDecodeErrors } from './rpc/decode-errors.js';
import { reflectionRoutes } from './rpc/reflection.js';
import { useReceived } from './rpc/stream-request-limit.js';
import { adaptHandlers, routeStreams } from './rpc/stream-routes.js';
import { unaryRoutes } from './rpc/unary/routes.js';

export interface AppDependencies {
  readonly services: readonly ServiceDefinition[];
  readonly interceptors: readonly Interceptor[];
  readonly transport: InProcessTransport;
  readonly authenticator: Authenticator;
  /** Counts administrative calls; null = no rate limit. */
  readonly rateLimiter: RateLimiter | null;
  /** Metrics of what runs behind the transports. */
  readonly metrics: readonly Family[];
  /** The forms of errors of APIs that have their own. */
  readonly errorForms: ReadonlyMap<Dialect, ErrorForm>;
  /** Rejects when requests can't be served now. */
  readonly check: () => Promise<void>;
  /** Ends what inference has in flight. */
  readonly cutOff: () => void;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly config: Pick<
    Config,
    | 'corsOrigins'
    | 'drainMs'
    | 'fieldAliases'
    | 'hosts'
    | 'pingMs'
    | 'publicUrl'
    | 'regionHosts'
    | 'timeouts'
    | 'trustedProxies'
  >;
  readonly logger: FastifyServerOptions['loggerInstance'];
  readonly limits?: Partial<HttpLimits>;
  readonly tls?: TlsIdentity;
  /** Directory of the built dashboard; the build's own when left out. */
  readonly dashboard?: string;
}

/** The server, not listening yet, and what stops it. */
export interface App {
  readonly server: FastifyInstance;
  readonly drain: Drain;
  /** Call `watch` once the server listens, in a process of its own. */
  readonly uncaught: Pick<UncaughtErrors, 'watch'>;
}

/** Time of a request beyond the total of its attempts at providers. */
const ANSWERING_MS = 5_000;

/**
 * Registers all transports on one server: REST, Connect, gRPC, gRPC-Web, gRPC health and reflection, the dashboard,
 * `/healthz`, `/readyz`, `/openapi.json`, `/metrics`. Throws ConfigError for aliases that can't be applied.
 */
export async function createApp(dependencies: AppDependencies): Promise<App> {
  const { clock, config, ids, limits = {}, tls } = dependencies;
  const http2Routes = new Http2Routes();
  const publicPath = new PublicPath(config.publicUrl);
  const server = createHttpServer({
    clock,
    ids,
    limits,
    tls,
    http2Routes,
    publicPath,
    fastify: {
      ...(dependencies.logger === undefined ? {} : { loggerInstance: dependencies.logger }),
      logController: new LogController({ disableRequestLogging: true }),
    },
  });
  const serviceDescs = dependencies.services.map(({ service }) => service);
  const operations = compileOperations(serviceDescs);
  checkAliases(config.fieldAliases, operations);
  const paths = rpcPaths([...serviceDescs, Health, ServerReflection, ServerReflectionAlpha]);
  const methodsOf = knownPaths(server, {
    operations: allowedMethods(operations),
    rpcPaths: paths,
  });
  publicPath.isKnown = (path) => methodsOf(path).length > 0;
  server.setErrorHandler(sendError);
  server.decorateRequest('caller');
  server.decorateRequest('userId');
  server.decorate('fieldAliases', config.fieldAliases);
  const dialectOf = dialects(operations);
  server.decorate('errorFormOf', (request) => dependencies.errorForms.get(dialectOf(request)));
  const requests = meterRequests(server, paths);
  const drain = createDrain({
    app: server,
    timeoutMs: config.drainMs,
    endConnections: () => endConnections(requests.open),
    endAnswers: dependencies.cutOff,
    refuseRest: () => refuseUnanswered(requests.open, shuttingDown()),
    log: server.log,
  });
  const uncaught = createUncaughtErrors({
    log: server.log,
    open: requests.open,
    answersWithinMs: config.timeouts.totalMs + ANSWERING_MS,
  });
  server.addHook('onRequest', (request, reply, done) => {
    reply.headers(FIXED_HEADERS);
    if (drain.draining && request.raw.httpVersionMajor === 1) reply.header('Connection', 'close');
    if (dialectOf(request) === Dialect.ANTHROPIC) reply.header('request-id', request.id);
    done();
  });
  if (config.corsOrigins.size > 0) {
    server.addHook('onRequest', shareAcrossOrigins(config.corsOrigins, methodsOf));
  }
  const hosts = createHosts(config);
  const admission = createAdmission({
    authenticator: dependencies.authenticator,
    clock,
    rateLimiter: dependencies.rateLimiter,
    hosts,
    trustedProxies: config.trustedProxies,
    isDraining: () => drain.draining,
  });
  const refuse = createRefuse(paths);
  server.addHook('onRequest', createHostGuard(admission, refuse));
  server.addHook(
    'onRequest',
    refuseUnknownPaths(methodsOf, (request) => hosts.placeOf(request).baseUrl),
  );
  server.addHook('onRequest', createRequestGuard({ admission, refuse, rpcPaths: paths }));
  if (server.log.level === 'debug' || server.log.level === 'trace') server.addHook('onResponse', logAccess);
  const readiness = createReadiness({ draining: () => drain.draining, check: dependencies.check });
  // Without a public URL the document is as good wherever it is read.
  const rootOf = ({ caller }: FastifyRequest) => (config.publicUrl === null ? '/' : caller.baseUrl);
  registerOpenApi(server, operations, rootOf, config.fieldAliases);
  const answers = new AnswerCache();
  const families = [...requests.families, uncaught.family, ...answerFamilies(answers), unboundHosts(config)];
  registerMetrics(server, [...families, ...dependencies.metrics]);
  registerHealth(server, readiness);
  registerDashboard(server, dependencies.dashboard ?? BUILT_DASHBOARD);
  await server.register(restPlugin, {
    operations,
    transport: dependencies.transport,
    answers,
    pingMs: config.pingMs,
    contextValues,
    aliases: config.fieldAliases,
  });
  const healthService = defineService(Health, grpcHealth(serviceDescs, readiness));
  await server.register(unaryRoutes, {
    methods: unaryMethods(dependencies.services),
    transport: dependencies.transport,
    answers,
    limitOf,
    contextValues,
    streams: {
      routes: http2Routes,
      admission,
      ruleOf: (path) => paths.get(path)?.rule,
      ids,
      log: server.log,
      countCall: requests.countCall,
    },
  });
  await server.register(unaryRoutes, {
    methods: unaryMethods([healthService]),
    transport: createInProcessTransport([healthService], []),
    limitOf,
  });
  await server.register(fastifyConnectPlugin, {
    contextValues,
    interceptors: [explainDecodeErrors, useReceived, ...dependencies.interceptors],
    routes: adaptHandlers((router) =>
      routeStreams(router, dependencies.services, { limitOf, isReadHere: true }),
    ),
  });
  await server.register(fastifyConnectPlugin, {
    shutdownSignal: readiness.shutdownSignal,
    binaryOptions: { readUnknownFields: false },
    routes: adaptHandlers((router) => {
      routeStreams(router, [healthService], { limitOf });
      reflectionRoutes([...serviceDescs, Health])(router);
    }),
  });
  server.addHook('preClose', async () => readiness.end());
  // Until it listens, Fastify handles errors; later ones are of connections that could not be accepted.
  server.addHook('onListen', async () => {
    server.server.on('error', (err) => server.log.error({ err }, 'a connection could not be accepted'));
  });
  return { server, drain, uncaught };
}

function checkAliases(aliases: Config['fieldAliases'], operations: readonly Operation[]): void {
  const methods = operations.flatMap(({ method, stream }) => [method, ...(stream ? [stream.method] : [])]);
  const violation = aliasViolation(
    aliases,
    methods.map(({ output }) => output),
  );
  if (violation !== undefined) throw new ConfigError(`BYWAY_FIELD_ALIASES: ${violation}`);
}

/** The route and not the URL, in whose path and query callers have put secrets before. */
function logAccess(request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  const { method, routeOptions } = request;
  const ms = Math.round(reply.elapsedTime);
  request.log.debug({ method, route: routeOptions.url ?? null, status: reply.statusCode, ms }, 'answered');
  done();
}

function contextValues(request: Pick<FastifyRequest, 'caller'>): ContextValues {
  return createContextValues().set(callerKey, request.caller);
}

function unaryMethods(services: readonly ServiceDefinition[]): DescMethodUnary[] {
  const isUnary = (method: DescMethod): method is DescMethodUnary => method.methodKind === 'unary';
  return services.flatMap(({ service }) => service.methods.filter(isUnary));
}

function limitOf(method: DescMethod): number {
  return bodyLimitBytes(planeOf(method));
}
