/**
 * What every request passes before a byte of its body is read, whichever door it takes: authentication (401),
 * permission (403), rate limit (429), size (413) and content type (415), in this order (interface section 3).
 */
import { create, type DescMethod, type DescService, getOption, hasOption } from '@bufbuild/protobuf';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  type MethodRule,
  MethodRuleSchema,
  method as methodOption,
  Plane,
  Role,
} from '../../gen/byway/options/v1/options_pb.js';
import type { Clock } from '../base/clock.js';
import { Problem } from '../base/problem.js';
import { type Authenticator, missingAuthentication } from '../keys/authenticate.js';
import { type Principal, userIdOf } from '../keys/principal.js';
import type { RateLimiter } from '../keys/rate-limit.js';
import { bodyLimitBytes, isJsonContentType } from '../rest/body.js';
import { sendError, unsupportedMediaType } from '../rest/envelope.js';
import type { Caller } from '../rpc/caller.js';
import { toConnectError } from '../rpc/errors.js';
import { clientNetwork } from './client-address.js';
import { limitRate } from './rate-limit.js';
import { RPC_CONTENT_TYPE, refuseRpc } from './rpc-refusal.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who calls; set by the gate on every request to a known path. */
    caller: Caller;
  }

  interface FastifyContextConfig {
    /** Who may call a route that is no operation; everybody where it is missing. */
    rule?: MethodRule;
  }
}

/** What the gate asks of others. */
export interface GateOptions {
  readonly authenticator: Authenticator;
  readonly clock: Clock;
  /** Counts administrative calls; null = no bound. */
  readonly rateLimiter: RateLimiter | null;
  /** Rules of the RPC doors by path, see `rpcRules`. */
  readonly rpcRules: ReadonlyMap<string, MethodRule>;
  /** Region of a lower-case host name without port. */
  readonly regionOf: (host: string) => string;
  /** Root of absolute URLs; null = what the request was made to. */
  readonly publicUrl: string | null;
  /** Proxies of the operator's before this server, each of which adds to `X-Forwarded-For`. */
  readonly trustedProxies: number;
}

/** The rules of all methods of the services, by the path of their RPC doors. A method without a rule is for everybody. */
export function rpcRules(services: readonly DescService[]): Map<string, MethodRule> {
  const methods: DescMethod[] = services.flatMap((service) => service.methods);
  return new Map(methods.map((m) => [`/${m.parent.typeName}/${m.name}`, ruleOf(m)]));
}

function ruleOf(method: DescMethod): MethodRule {
  if (hasOption(method, methodOption)) return getOption(method, methodOption);
  return create(MethodRuleSchema, { roles: [Role.ANONYMOUS], plane: Plane.LISTING });
}

/** An `onRequest` hook for a Fastify server that all doors hang on. Unknown paths are refused before it. */
export function createGate(options: GateOptions) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    const rpcRule = options.rpcRules.get(pathOf(request));
    const { config } = request.routeOptions;
    const rule = rpcRule ?? config.operation?.rule ?? config.rule;
    request.caller = callerFrom(request, options);
    if (rpcRule !== undefined) reply.header('Cache-Control', 'no-store');
    try {
      if (rpcRule !== undefined && request.method !== 'POST') throw onlyPost(reply);
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
      admitBody(request, rule, rpcRule !== undefined);
      return;
    } catch (thrown) {
      if (!(thrown instanceof Problem)) throw thrown;
      const error = toConnectError(thrown, request.userId);
      if (rpcRule === undefined || request.method !== 'POST') return sendError(error, request, reply);
      return refuseRpc(reply, request.headers['content-type'], error);
    }
  };
}

function onlyPost(reply: FastifyReply): Problem {
  reply.header('Allow', 'POST');
  return new Problem('method_not_allowed', 'Method not allowed');
}

function permit(principal: Principal, roles: readonly Role[]): void {
  if (roles.includes(Role.ANONYMOUS) || roles.includes(ROLES[principal.kind])) return;
  if (principal.kind === 'anonymous') throw missingAuthentication();
  const who = roles.includes(Role.MANAGEMENT_KEY) ? 'management keys' : 'API keys';
  throw new Problem('permission_denied', `Only ${who} can perform this operation`);
}

const ROLES: Record<Principal['kind'], Role> = {
  anonymous: Role.ANONYMOUS,
  api_key: Role.API_KEY,
  management_key: Role.MANAGEMENT_KEY,
  client: Role.CLIENT_SECRET,
};

function admitBody(request: FastifyRequest, rule: MethodRule, isRpc: boolean): void {
  const limit = bodyLimitBytes(rule.plane);
  if (Number(request.headers['content-length'] ?? 0) > limit) {
    throw new Problem('body_too_large', `The body is larger than ${limit} bytes`);
  }
  const contentType = request.headers['content-type'] ?? '';
  if (isRpc ? !RPC_CONTENT_TYPE.test(contentType) : hasBody(request) && !isJsonContentType(contentType)) {
    throw unsupportedMediaType();
  }
}

/** Whether a body is announced; over HTTP/2 one may come unannounced, and is then refused when it is parsed. */
function hasBody({ headers, method }: FastifyRequest): boolean {
  if (method === 'GET' || method === 'HEAD') return false;
  return (
    headers['content-type'] !== undefined ||
    headers['transfer-encoding'] !== undefined ||
    Number(headers['content-length'] ?? 0) > 0
  );
}

function callerFrom(request: FastifyRequest, options: GateOptions): Caller {
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
