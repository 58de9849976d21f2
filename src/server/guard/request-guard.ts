/**
 * Checks every request before a byte of its body is read, over every transport: authentication (401), permission (403),
 * rate limit (429), size (413) and content type (415), in this order (docs/credentials.md#order-of-checks).
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
import type { Clock } from '../../base/clock.js';
import { Problem } from '../../base/problem.js';
import { bodyLimitBytes, isJsonContentType } from '../../http/body.js';
import { sendError, unsupportedMediaType } from '../../http/envelope.js';
import { type Authenticator, missingAuthentication } from '../../identity/authenticate.js';
import { type Principal, userIdOf } from '../../identity/principal.js';
import type { RateLimiter } from '../../identity/rate-limit.js';
import type { Caller } from '../../rpc/caller.js';
import { toConnectError } from '../../rpc/errors.js';
import { RPC_CONTENT_TYPE, refuseFormat, refuseRpc, unsupportedRpcType } from '../rpc/refusal.js';
import { PREFIX_BYTES } from '../rpc/unary/envelope.js';
import { takesGet } from '../rpc/unary/get.js';
import { clientNetwork } from './client-address.js';
import { limitRate } from './rate-limit.js';

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
  readonly authenticator: Authenticator;
  readonly clock: Clock;
  /** Counts administrative calls; null = no rate limit. */
  readonly rateLimiter: RateLimiter | null;
  /** See `rpcPaths`. */
  readonly rpcPaths: ReadonlyMap<string, RpcPath>;
  /** Region of a lower-case host name without port. */
  readonly regionOf: (host: string) => string;
  /** Root of absolute URLs; null = the host of the request. */
  readonly publicUrl: string | null;
  /** Number of the operator's proxies before this server, each of which adds to `X-Forwarded-For`. */
  readonly trustedProxies: number;
}

/** A method, as the guard knows it by its RPC path. */
export interface RpcPath {
  readonly rule: MethodRule;
  /** The HTTP methods that the path takes. */
  readonly httpMethods: readonly string[];
}

/** The methods of the services by their RPC paths. A method without a rule is for everybody. */
export function rpcPaths(services: readonly DescService[]): Map<string, RpcPath> {
  const methods: DescMethod[] = services.flatMap((service) => service.methods);
  return new Map(methods.map((m) => [`/${m.parent.typeName}/${m.name}`, rpcPath(m)]));
}

function rpcPath(method: DescMethod): RpcPath {
  return { rule: ruleOf(method), httpMethods: takesGet(method) ? ['GET', 'HEAD', 'POST'] : ['POST'] };
}

function ruleOf(method: DescMethod): MethodRule {
  if (hasOption(method, methodOption)) return getOption(method, methodOption);
  return create(MethodRuleSchema, { roles: [Role.ANONYMOUS], plane: Plane.LISTING });
}

/** An `onRequest` hook for the server of all transports. Unknown paths are refused before it. */
export function createRequestGuard(options: RequestGuardOptions) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    const rpc = options.rpcPaths.get(pathOf(request));
    const isCall = rpc?.httpMethods.includes(request.method) === true;
    const { config } = request.routeOptions;
    const rule = rpc?.rule ?? config.operation?.rule ?? config.rule;
    request.caller = callerFrom(request, options);
    if (rpc !== undefined) reply.header('Cache-Control', 'no-store');
    try {
      if (rpc !== undefined && !isCall) throw wrongMethod(reply, rpc);
      const nowMs = options.clock.now();
      const principal = await options.authenticator.authenticate(request.headers.authorization, nowMs, () =>
        clientNetwork(request, options.trustedProxies),
      );
      request.caller = { ...request.caller, principal };
      request.userId = userIdOf(principal);
      if (rule === undefined) return;
      permit(principal, rule.roles);
      if (rule.plane === Plane.ADMINISTRATION || rule.plane === Plane.BATCHES) {
        await limitRate(options.rateLimiter, principal, nowMs, reply);
      }
      checkBody(request, rule, isCall);
      return;
    } catch (thrown) {
      if (!(thrown instanceof Problem)) throw thrown;
      const error = toConnectError(thrown, request.userId);
      if (!isCall) return sendError(error, request, reply);
      if (thrown.reason === 'unsupported_media_type') return refuseFormat(thrown, request, reply);
      return refuseRpc(reply, error);
    }
  };
}

function wrongMethod(reply: FastifyReply, { httpMethods }: RpcPath): Problem {
  reply.header('Allow', httpMethods.join(', '));
  return new Problem('method_not_allowed', 'Method not allowed');
}

function permit(principal: Principal, roles: readonly Role[]): void {
  if (roles.includes(Role.ANONYMOUS) || roles.includes(ROLES[principal.kind])) return;
  if (principal.kind === 'anonymous') throw missingAuthentication();
  throw new Problem('permission_denied', `Only ${namesOf(roles)} can perform this operation`);
}

function namesOf(roles: readonly Role[]): string {
  if (roles.includes(Role.MANAGEMENT_KEY)) return 'management keys';
  return roles.includes(Role.OPERATOR_KEY) ? 'operator keys' : 'API keys';
}

const ROLES: Record<Principal['kind'], Role> = {
  anonymous: Role.ANONYMOUS,
  api_key: Role.API_KEY,
  management_key: Role.MANAGEMENT_KEY,
  client: Role.CLIENT_SECRET,
  operator_key: Role.OPERATOR_KEY,
};

function checkBody(request: FastifyRequest, rule: MethodRule, isRpc: boolean): void {
  const limit = bodyLimitBytes(rule.plane);
  const contentType = request.headers['content-type'] ?? '';
  const prefixBytes = isRpc && ENVELOPED.test(contentType) ? PREFIX_BYTES : 0;
  if (Number(request.headers['content-length'] ?? 0) > limit + prefixBytes) {
    throw new Problem('body_too_large', `The body is larger than ${limit} bytes`);
  }
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

function callerFrom(request: FastifyRequest, options: RequestGuardOptions): Caller {
  return {
    principal: { kind: 'anonymous' },
    region: options.regionOf(request.hostname.toLowerCase()),
    requestId: request.id,
    baseUrl: options.publicUrl ?? `${request.protocol}://${request.host}`,
  };
}

function pathOf(request: FastifyRequest): string {
  const end = request.url.indexOf('?');
  return end < 0 ? request.url : request.url.slice(0, end);
}
