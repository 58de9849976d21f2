import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../../config/config.js';
import type { Apis } from '../../http/api-conventions.js';
import { sendError } from '../../http/error-envelope.js';
import { FIXED_HEADERS } from '../../http/headers.js';
import { apiOfRequests } from '../../rest/api-of.js';
import { type AllowedMethods, refuseUnknownPaths } from '../../rest/not-found.js';
import type { Operation } from '../../rest/operation.js';
import type { Drain } from '../health/drain.js';
import { type CallerCheckOptions, type CallerChecks, createCallerChecks } from './caller-checks.js';
import { shareAcrossOrigins } from './cors.js';
import { createHostGuard } from './host-guard.js';
import { createHosts, type HostOptions } from './hosts.js';
import { createRefuseRequest } from './refuse.js';
import { createRequestGuard } from './request-guard.js';
import type { RpcPath } from './rpc-paths.js';
import { refuseWebSockets } from './websocket.js';

interface Guarded extends Pick<CallerCheckOptions, 'authenticator' | 'clock' | 'rateLimiter'> {
  readonly config: HostOptions & Pick<Config, 'corsOrigins' | 'fieldAliases'>;
  readonly operations: readonly Operation[];
  readonly apis: Apis;
  readonly rpcPaths: ReadonlyMap<string, RpcPath>;
  readonly methodsOf: AllowedMethods;
  readonly drain: Pick<Drain, 'draining'>;
}

/** What every request passes before its handler, and every answer gets: the order of the hooks is the order of the checks. */
export function guardRequests(
  server: FastifyInstance,
  { apis, authenticator, clock, config, rateLimiter, operations, rpcPaths, methodsOf, drain }: Guarded,
): { readonly admission: CallerChecks } {
  const conventionsOf = apiOfRequests(operations, apis);
  server.setErrorHandler(sendError);
  server.decorateRequest('caller');
  server.decorateRequest('userId');
  server.decorate('fieldAliases', config.fieldAliases);
  server.decorate('conventionsOf', conventionsOf);
  server.addHook('onRequest', (request, reply, done) => {
    reply.headers(FIXED_HEADERS);
    if (drain.draining && request.raw.httpVersionMajor === 1) reply.header('Connection', 'close');
    const { requestIdHeader } = conventionsOf(request) ?? {};
    if (requestIdHeader !== undefined) reply.header(requestIdHeader, request.id);
    done();
  });
  if (config.corsOrigins.size > 0) {
    server.addHook('onRequest', shareAcrossOrigins(config.corsOrigins, methodsOf, apis));
  }
  const hosts = createHosts(config);
  const admission = createCallerChecks({
    authenticator,
    clock,
    rateLimiter,
    hosts,
    trustedProxies: config.trustedProxies,
    isDraining: () => drain.draining,
  });
  const refuse = createRefuseRequest(rpcPaths);
  server.addHook('onRequest', createHostGuard(admission, refuse));
  server.addHook('onRequest', refuseWebSockets);
  server.addHook(
    'onRequest',
    refuseUnknownPaths(methodsOf, (request) => hosts.hostOf(request).baseUrl),
  );
  server.addHook('onRequest', createRequestGuard({ admission, refuse, rpcPaths }));
  if (server.log.level === 'debug' || server.log.level === 'trace') server.addHook('onResponse', logAccess);
  return { admission };
}

/** The route and not the URL, in whose path and query callers have put secrets before. */
function logAccess(request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  const { method, routeOptions } = request;
  const ms = Math.round(reply.elapsedTime);
  request.log.debug({ method, route: routeOptions.url ?? null, status: reply.statusCode, ms }, 'answered');
  done();
}
