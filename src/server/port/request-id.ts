import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { Ids } from '../../base/ids.js';

export const REQUEST_ID_HEADER = 'x-request-id';
const SANE = /^[A-Za-z0-9._:-]{1,128}$/;

/**
 * The identifier of the request that these headers came with: the client's own when it is 1 to 128 characters of
 * `[A-Za-z0-9._:-]`, else a new one. It is stored in the headers, so that the next call gets the same.
 */
export function requestId(headers: IncomingHttpHeaders, ids: Ids): string {
  const sent = headers[REQUEST_ID_HEADER];
  if (typeof sent === 'string' && SANE.test(sent)) return sent;
  const id = ids.uuid();
  headers[REQUEST_ID_HEADER] = id;
  return id;
}

/** The Fastify options that make `request.id` follow `requestId`. */
export function requestIdOptions(ids: Ids) {
  return {
    requestIdHeader: false,
    genReqId: (request: { headers: IncomingHttpHeaders }) => requestId(request.headers, ids),
  } as const;
}

/**
 * Sets `X-Request-Id` on every answer of the app, those for unknown paths, errors and hijacked replies included.
 * Register it before any other hook that may answer.
 */
export function registerRequestId(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    // Hijacked replies do not send the reply's own headers. Operations do, and a header on the raw response would make
    // Node much slower at writing all of them.
    if (request.routeOptions.config.operation === undefined)
      reply.raw.setHeader(REQUEST_ID_HEADER, request.id);
    else reply.header(REQUEST_ID_HEADER, request.id);
    done();
  });
}
