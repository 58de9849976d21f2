/**
 * Checks every request before a byte of its body is read, over every transport: authentication (401), permission (403),
 * whether the server drains (503), rate limit (429), size (413) and content type (415), in this order
 * (docs/credentials.md#order-of-checks).
 */
import { create, type DescMethod, type DescService, getOption, hasOption } from '@bufbuild/protobuf';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  type MethodRule,
  MethodRuleSchema,
  method as methodOption,
  Plane,
  Role,
} from '../../../gen/byway/options/v1/options_pb.js';
import { Problem } from '../../base/problem.js';
import { isJsonContentType } from '../../http/body.js';
import { sendError, unsupportedMediaType } from '../../http/envelope.js';
import { authorizationOf } from '../../identity/authenticate.js';
import { type Principal, userIdOf } from '../../identity/principal.js';
import type { Caller } from '../../rpc/caller.js';
import { toConnectError } from '../../rpc/errors.js';
import { RPC_CONTENT_TYPE, refuseFormat, refuseRpc, unsupportedRpcType } from '../rpc/refusal.js';
import { PREFIX_BYTES } from '../rpc/unary/envelope.js';
import { takesGet } from '../rpc/unary/get.js';
import type { Admission, Wanted } from './admission.js';

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
  readonly admission: Admission;
  /** See `rpcPaths`. */
  readonly rpcPaths: ReadonlyMap<string, RpcPath>;
}

/** A method, as the guard knows it by its RPC path. */
export interface RpcPath {
  readonly rule: MethodRule;
  /** Whether it is of the contract, and not of what watches the server. */
  readonly isOperation: boolean;
  /** The HTTP methods that the path takes. */
  readonly httpMethods: readonly string[];
}

/** The methods of the services by their RPC paths. A method without a rule is for everybody. */
export function rpcPaths(services: readonly DescService[]): Map<string, RpcPath> {
  const methods: DescMethod[] = services.flatMap((service) => service.methods);
  return new Map(methods.map((m) => [`/${m.parent.typeName}/${m.name}`, rpcPath(m)]));
}

function rpcPath(method: DescMethod): RpcPath {
  const httpMethods = takesGet(method) ? ['GET', 'HEAD', 'POST'] : ['POST'];
  return { rule: ruleOf(method), isOperation: hasOption(method, methodOption), httpMethods };
}

function ruleOf(method: DescMethod): MethodRule {
  if (hasOption(method, methodOption)) return getOption(method, methodOption);
  return create(MethodRuleSchema, { roles: [Role.ANONYMOUS], plane: Plane.LISTING });
}

type Done = (error?: Error) => void;

/** An `onRequest` hook for the server of all transports. Unknown paths are refused before it. */
export function createRequestGuard({ admission, rpcPaths }: RequestGuardOptions) {
  return (request: FastifyRequest, reply: FastifyReply, done: Done): Promise<unknown> | undefined => {
    const rpc = rpcPaths.get(pathOf(request));
    const isCall = rpc?.httpMethods.includes(request.method) === true;
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
        { rule, isOperation, ...sizeOf(request, isCall) },
        reply.raw,
      );
      if (counting !== undefined) return counting.then(() => checkFormat(request, isCall));
      checkFormat(request, isCall);
      return undefined;
    };
    const refuse = async (thrown: unknown): Promise<unknown> => {
      if (!(thrown instanceof Problem)) throw thrown;
      const error = toConnectError(thrown, request.userId);
      if (!isCall) return sendError(error, request, reply);
      if (thrown.reason === 'unsupported_media_type') return refuseFormat(thrown, request, reply);
      return refuseRpc(reply, error);
    };
    try {
      if (rpc !== undefined && !isCall) throw wrongMethod(reply, rpc);
      const { headers } = request;
      const principal = admission.authenticate(
        request,
        isCall ? headers.authorization : authorizationOf(headers),
      );
      const waiting = principal instanceof Promise ? principal.then(permit) : permit(principal);
      // A promise costs as much as the checks themselves.
      if (waiting !== undefined) return waiting.catch(refuse);
    } catch (thrown) {
      return refuse(thrown);
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

function checkFormat(request: FastifyRequest, isRpc: boolean): void {
  const contentType = request.headers['content-type'] ?? '';
  if (isRpc) {
    // A GET has its message in the query.
    if (request.method === 'POST' && !RPC_CONTENT_TYPE.test(contentType)) throw unsupportedRpcType();
    return;
  }
  if (!hasBody(request)) return;
  if (!isJsonContentType(contentType)) throw unsupportedMediaType();
  if ((request.headers['content-encoding'] ?? 'identity') !== 'identity') {
    throw new Problem('unsupported_encoding', 'The body must not be compressed');
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

function pathOf(request: FastifyRequest): string {
  const end = request.url.indexOf('?');
  return end < 0 ? request.url : request.url.slice(0, end);
}
