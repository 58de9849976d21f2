/** The one Fastify server: every transport is registered on it, and every request passes the request guard. */
import type { Interceptor } from '@connectrpc/connect';
import { type FastifyInstance, type FastifyRequest, type FastifyServerOptions, LogController } from 'fastify';
import { Health } from '../../gen/grpc/health/v1/health_pb.js';
import { ServerReflection } from '../../gen/grpc/reflection/v1/reflection_pb.js';
import { ServerReflection as ServerReflectionAlpha } from '../../gen/grpc/reflection/v1alpha/reflection_pb.js';
import type { Clock } from '../base/clock.js';
import type { Ids } from '../base/ids.js';
import { shuttingDown } from '../base/problem.js';
import { type Config, ConfigError } from '../config/config.js';
import type { Apis } from '../http/api-conventions.js';
import type { Authenticator } from '../identity/authenticate.js';
import type { RateLimiter } from '../identity/rate-limit.js';
import { aliasViolation } from '../protobuf/aliases.js';
import { AnswerCache } from '../rest/answer-cache.js';
import { compileOperations } from '../rest/compile.js';
import { allowedMethods } from '../rest/not-found.js';
import { registerOpenApi } from '../rest/openapi/register.js';
import type { Operation } from '../rest/operation.js';
import type { ServiceDefinition } from '../rpc/define-service.js';
import type { InProcessTransport } from '../rpc/in-process-transport.js';
import { BUILT_DASHBOARD, registerDashboard } from './dashboard.js';
import { guardRequests } from './guard/guard-requests.js';
import { knownPaths } from './guard/known-paths.js';
import { rpcPaths } from './guard/rpc-paths.js';
import { createDrain, type Drain } from './health/drain.js';
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
import { registerTransports } from './transports.js';
import { createUncaughtErrors, type UncaughtErrors } from './uncaught.js';

export interface AppDependencies {
  readonly services: readonly ServiceDefinition[];
  readonly interceptors: readonly Interceptor[];
  readonly transport: InProcessTransport;
  readonly authenticator: Authenticator;
  /** Counts administrative calls; null = no rate limit. */
  readonly rateLimiter: RateLimiter | null;
  /** Metrics of what runs behind the transports. */
  readonly metrics: readonly Family[];
  /** APIs of other makers that are served. */
  readonly apis: Apis;
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
  const { clock, config, ids, limits = {}, tls, services } = dependencies;
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
  const serviceDescs = services.map(({ service }) => service);
  const operations = compileOperations(serviceDescs);
  checkAliases(config.fieldAliases, operations);
  const methods = rpcPaths([...serviceDescs, Health, ServerReflection, ServerReflectionAlpha]);
  const methodsOf = knownPaths(server, { operations: allowedMethods(operations), rpcPaths: methods });
  publicPath.isKnown = (path) => methodsOf(path).length > 0;
  const requests = meterRequests(server, methods);
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
  const { admission } = guardRequests(server, {
    ...dependencies,
    operations,
    rpcPaths: methods,
    methodsOf,
    drain,
  });
  const readiness = createReadiness({ draining: () => drain.draining, check: dependencies.check });
  const answers = new AnswerCache();
  const rest = {
    operations,
    apis: dependencies.apis,
    transport: dependencies.transport,
    answers,
    pingMs: config.pingMs,
    aliases: config.fieldAliases,
  };
  // Without a public URL the document is as good wherever it is read.
  const rootOf = ({ caller }: FastifyRequest) => (config.publicUrl === null ? '/' : caller.baseUrl);
  registerOpenApi(server, rest, rootOf);
  const families = [...requests.families, uncaught.family, ...answerFamilies(answers), unboundHosts(config)];
  registerMetrics(server, [...families, ...dependencies.metrics]);
  registerHealth(server, readiness);
  registerDashboard(server, dependencies.dashboard ?? BUILT_DASHBOARD);
  await registerTransports(server, {
    services,
    interceptors: dependencies.interceptors,
    rest,
    readiness,
    streams: {
      routes: http2Routes,
      admission,
      ruleOf: (path) => methods.get(path)?.rule,
      ids,
      log: server.log,
      countCall: requests.countCall,
    },
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
