/**
 * Checks every request before a byte of its body is read, over every transport: authentication (401), permission (403),
 * whether the server drains (503), rate limit (429), size (413) and content type (415), in this order
 * (docs/credentials.md#order-of-checks).
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type MethodRule, Plane } from '../../../gen/byway/options/v1/options_pb.js';
import { Problem } from '../../base/problem.js';
import { isJsonContentType } from '../../http/body.js';
import { CONTENT_CODINGS, codingOf, isIdentity } from '../../http/content-coding.js';
import { unsupportedMediaType } from '../../http/error-envelope.js';
import { type Principal, userIdOf } from '../../identity/principal.js';
import type { Caller } from '../../rpc/caller.js';
import { pathOf } from '../port/public-path.js';
import { PREFIX_BYTES } from '../rpc/wire/envelope.js';
import { RPC_CONTENT_TYPE, unsupportedRpcType } from '../rpc/wire/refusal.js';
import type { CallerChecks, Wanted } from './caller-checks.js';
import { isCall, type RefuseRequest } from './refuse.js';
import type { RpcPath } from './rpc-paths.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who calls; set by the request guard on every request to a known path. */
    caller: Caller;
  }

  interface FastifyContextConfig {
    /** Who may call a route that is no operation; everybody when left out. */
    rule?: MethodRule;
  }
}

export interface RequestGuardOptions {
  readonly admission: CallerChecks;
  readonly refuse: RefuseRequest;
  /** See `rpcPaths`. */
  readonly rpcPaths: ReadonlyMap<string, RpcPath>;
}

type Done = (error?: Error) => void;

/** An `onRequest` hook for the server of all transports. Unknown paths are refused before it. */
export function createRequestGuard({ admission, refuse, rpcPaths }: RequestGuardOptions) {
  return (request: FastifyRequest, reply: FastifyReply, done: Done): Promise<unknown> | undefined => {
    const rpc = rpcPaths.get(pathOf(request.url));
    const calls = isCall(request, rpc);
    const { config } = request.routeOptions;
    const rule = rpc?.rule ?? config.operation?.rule ?? config.rule;
    const isOperation = rpc?.isOperation === true || config.operation !== undefined;
    request.caller = admission.anonymous(request);
    if (rpc !== undefined) reply.header('Cache-Control', 'no-store');
    const permit = (principal: Principal): Promise<void> | undefined => {
      request.caller = { ...request.caller, principal };
      request.userId = userIdOf(principal);
      if (rule === undefined) return undefined;
      // On the raw response, since hijacked replies do not send the reply's own headers.
      const counting = admission.permit(
        principal,
        { rule, isOperation, ...sizeOf(request, calls) },
        reply.raw,
      );
      if (counting !== undefined) return counting.then(() => checkFormat(request, reply, rule, calls));
      checkFormat(request, reply, rule, calls);
      return undefined;
    };
    try {
      if (rpc !== undefined && !calls) throw wrongMethod(reply, rpc);
      const principal = admission.authenticate(request);
      const waiting = principal instanceof Promise ? principal.then(permit) : permit(principal);
      // A promise costs as much as the checks themselves.
      if (waiting !== undefined) return waiting.catch((thrown: unknown) => refuse(thrown, request, reply));
    } catch (thrown) {
      return refuse(thrown, request, reply);
    }
    done();
    return undefined;
  };
}

function wrongMethod(reply: FastifyReply, { httpMethods }: RpcPath): Problem {
  reply.header('Allow', httpMethods.join(', '));
  return new Problem('method_not_allowed', 'Method not allowed');
}

function sizeOf({ headers }: FastifyRequest, isRpc: boolean): Pick<Wanted, 'bodyBytes' | 'framingBytes'> {
  const framingBytes = isRpc && ENVELOPED.test(headers['content-type'] ?? '') ? PREFIX_BYTES : 0;
  return { bodyBytes: Number(headers['content-length'] ?? 0), framingBytes };
}

function checkFormat(
  request: FastifyRequest,
  reply: FastifyReply,
  { plane }: MethodRule,
  isRpc: boolean,
): void {
  const contentType = request.headers['content-type'] ?? '';
  if (isRpc) {
    // A GET has its message in the query.
    if (request.method === 'POST' && !RPC_CONTENT_TYPE.test(contentType)) throw unsupportedRpcType();
    return;
  }
  if (!hasBody(request)) return;
  if (!isJsonContentType(contentType)) throw unsupportedMediaType();
  checkCoding(request.headers['content-encoding'], plane, reply);
}

/** Bodies of inference may be compressed. What is taken is told as RFC 9110 section 15.5.16 has it. */
function checkCoding(contentEncoding: string | undefined, plane: Plane, reply: FastifyReply): void {
  if (isIdentity(contentEncoding)) return;
  if (plane !== Plane.INFERENCE) {
    throw new Problem('unsupported_encoding', 'The body must not be compressed');
  }
  try {
    codingOf(contentEncoding);
  } catch (thrown) {
    reply.header('Accept-Encoding', CONTENT_CODINGS.join(', '));
    throw thrown;
  }
}

/** RPCs with enveloped messages. */
const ENVELOPED = /^application\/(?:grpc|connect\+)/i;

/** Whether a body is announced; over HTTP/2 one may come unannounced, and is then refused when it is parsed. */
function hasBody({ headers, method }: FastifyRequest): boolean {
  if (method === 'GET' || method === 'HEAD') return false;
  return (
    headers['content-type'] !== undefined ||
    headers['transfer-encoding'] !== undefined ||
    Number(headers['content-length'] ?? 0) > 0
  );
}
