/** Cross-origin calls from browsers: pages of the configured origins may use every transport. */
import { cors } from '@connectrpc/connect';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Apis } from '../../http/api-conventions.js';
import type { AllowedMethods } from '../../rest/not-found.js';

/** How long browsers may cache a preflight: the longest that all of them honour. */
const MAX_AGE_SECONDS = 7_200;

/** `*` covers the headers that SDKs add, but never Authorization. Credentials are bearer tokens, never cookies. */
const ALLOWED_HEADERS = [
  'Authorization',
  'X-API-Key',
  'Anthropic-Beta',
  'X-Request-Id',
  'If-None-Match',
  'X-Byway-Run',
  'X-Byway-Run-Limit-Usd',
  'X-Byway-End-User',
  ...cors.allowedHeaders,
  '*',
];

const EXPOSED_HEADERS = [
  'X-Request-Id',
  'X-Byway-Adapted',
  'X-Byway-Cache',
  'X-Byway-Remaining-Usd',
  'X-Generation-Id',
  'Retry-After',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'ETag',
  ...cors.exposedHeaders,
];

/**
 * An onRequest hook that allows pages of the origins to read answers, errors included, and that answers preflights of
 * known paths without authentication. `origins` is a set of origins or `*` alone; the clients of `apis` may send and read
 * their headers. Register the hook before all that may refuse. Requests from other origins are served as if the hook were
 * not there.
 */
export function shareAcrossOrigins(origins: ReadonlySet<string>, methodsOf: AllowedMethods, apis: Apis) {
  const isForAll = origins.has('*');
  const conventions = Object.values(apis);
  const sent = conventions.flatMap(({ clientHeader }) => clientHeader ?? []);
  const read = conventions.flatMap(({ requestIdHeader }) => requestIdHeader ?? []);
  const allowed = [...sent, ...ALLOWED_HEADERS].join(', ');
  const exposed = [...EXPOSED_HEADERS, ...read].join(', ');
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> => {
    // On the raw response, since hijacked replies do not send the reply's own headers.
    const { raw } = reply;
    if (!isForAll) raw.setHeader('Vary', 'Origin');
    const { origin } = request.headers;
    if (origin === undefined || !(isForAll || origins.has(origin))) return undefined;
    raw.setHeader('Access-Control-Allow-Origin', isForAll ? '*' : origin);
    raw.setHeader('Access-Control-Expose-Headers', exposed);
    const [path = ''] = request.url.split('?', 1);
    const methods = methodsOf(path);
    if (request.method !== 'OPTIONS' || methods.length === 0) return undefined;
    return reply
      .code(204)
      .header('Access-Control-Allow-Methods', methods.join(', '))
      .header('Access-Control-Allow-Headers', allowed)
      .header('Access-Control-Max-Age', MAX_AGE_SECONDS)
      .send();
  };
}
