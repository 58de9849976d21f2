import { type FastifyInstance, type FastifyServerOptions, fastify } from 'fastify';
import type { Clock } from '../../base/clock.js';
import type { Ids } from '../../base/ids.js';
import { belowRestRoot } from '../../rest/base-urls.js';
import { createHttpErrorResponder } from './http-errors.js';
import { DEFAULT_HTTP_LIMITS, type HttpLimits } from './http-limits.js';
import { Http2Routes } from './http2-routes.js';
import { Lingering } from './linger.js';
import { onePort, type TlsIdentity } from './one-port.js';
import { PublicPath } from './public-path.js';
import { registerRequestId, requestIdOptions } from './request-id.js';
import { decodablePath, originForm } from './request-target.js';

export interface HttpServerDependencies {
  readonly clock: Clock;
  readonly ids: Ids;
  /** Replaces single defaults. */
  readonly limits?: Partial<HttpLimits>;
  readonly tls?: TlsIdentity | undefined;
  /** Routes that come before those of Fastify, and may be added until the server listens. */
  readonly http2Routes?: Http2Routes;
  /** The root when left out. */
  readonly publicPath?: PublicPath;
  /** Fastify's own options, without those that this server decides. */
  readonly fastify?: Omit<
    FastifyServerOptions,
    | 'serverFactory'
    | 'clientErrorHandler'
    | 'genReqId'
    | 'requestIdHeader'
    | 'requestTimeout'
    | 'keepAliveTimeout'
    | 'rewriteUrl'
    | 'return503OnClosing'
    | 'routerOptions'
    | 'schemaController'
  >;
}

/**
 * A Fastify instance on one port for HTTP/1.1 and HTTP/2, with request ids, limits and error envelopes for requests
 * that reach no handler. It has no routes yet and does not listen yet. Listen on an address, not on the name
 * `localhost`: Fastify would open a second server for it that `close()` does not wait for.
 */
export function createHttpServer(dependencies: HttpServerDependencies): FastifyInstance {
  const limits = { ...DEFAULT_HTTP_LIMITS, ...dependencies.limits };
  const { publicPath = new PublicPath(null) } = dependencies;
  const lingering = new Lingering();
  const httpErrors = createHttpErrorResponder({ ...dependencies, lingering });
  const app = fastify({
    ...dependencies.fastify,
    ...requestIdOptions(dependencies.ids),
    serverFactory: onePort({
      limits,
      httpErrors,
      lingering,
      http2Routes: dependencies.http2Routes ?? new Http2Routes(),
      tls: dependencies.tls,
    }),
    clientErrorHandler: httpErrors.end,
    rewriteUrl: ({ url = '/' }) => belowRestRoot(decodablePath(publicPath.within(originForm(url)))),
    // Requests that arrive while the server closes are served, and their connections closed after them.
    return503OnClosing: false,
    // Longer identifiers exceed the header limit anyway; one that is too long for a resource is not found.
    routerOptions: { maxParamLength: limits.maxHeaderBytes },
    // Fastify's own compilers take a good part of the time of a start.
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
  });
  registerRequestId(app);
  return app;
}

function noSchemas(): never {
  throw new Error('routes have no JSON schemas: requests are checked by the rules of the contract');
}
