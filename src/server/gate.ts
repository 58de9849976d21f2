/**
 * What every request passes before a byte of its body is read, whichever door it takes: authentication (401),
 * permission (403), size (413) and content type (415), in this order (interface section 3).
 */
import { type DescMethod, type DescService, getOption } from '@bufbuild/protobuf';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  type MethodRule,
  method as methodOption,
  Plane,
  Role,
} from '../../gen/byway/options/v1/options_pb.js';
import type { Clock } from '../base/clock.js';
import { Problem, toProblem } from '../base/problem.js';
import { type Authenticator, missingAuthentication } from '../keys/authenticate.js';
import { type Principal, userIdOf } from '../keys/principal.js';
import type { Caller } from '../rpc/caller.js';
import { toConnectError } from '../rpc/errors.js';
import { RPC_CONTENT_TYPE, refuseRpc } from './rpc-refusal.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who calls; set by the gate on every request to a known path. */
    caller: Caller;
  }
}

/** What the gate asks of others. */
export interface GateOptions {
  readonly authenticator: Authenticator;
  readonly clock: Clock;
  /** Rules of the RPC doors by path, see `rpcRules`. */
  readonly rpcRules: ReadonlyMap<string, MethodRule>;
  /** Rule of the REST operation that the request was routed to, if it was. */
  readonly restRule: (request: FastifyRequest) => MethodRule | undefined;
  /** Region of a lower-case host name without port. */
  readonly regionOf: (host: string) => string;
  /** Root of absolute URLs; null = what the request was made to. */
  readonly publicUrl: string | null;
  /** Answers a refused request at the REST door. */
  readonly refuseRest: (request: FastifyRequest, reply: FastifyReply, problem: Problem) => void;
}

/** Most bytes of a body by plane (interface section 3). */
export const BODY_LIMITS: Record<Plane, number> = {
  [Plane.UNSPECIFIED]: 0,
  [Plane.ADMINISTRATION]: 1 << 20,
  [Plane.LISTING]: 1 << 20,
  [Plane.INFERENCE]: 32 << 20,
};

/** The rules of all methods of the services, by the path of their RPC doors. */
export function rpcRules(services: readonly DescService[]): Map<string, MethodRule> {
  const methods: DescMethod[] = services.flatMap((service) => service.methods);
  return new Map(methods.map((m) => [`/${m.parent.typeName}/${m.name}`, getOption(m, methodOption)]));
}

/** An `onRequest` hook for a Fastify server that all doors hang on. Unknown paths pass: they are 404 for everybody. */
export function createGate(options: GateOptions) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    if (request.is404) return;
    const rpcRule = options.rpcRules.get(pathOf(request));
    const rule = rpcRule ?? options.restRule(request);
    request.caller = callerFrom(request, { kind: 'anonymous' }, options);
    try {
      const principal = await options.authenticator.authenticate(
        request.headers.authorization,
        options.clock.now(),
      );
      request.caller = { ...request.caller, principal };
      if (rule !== undefined) admit(request, principal, rule, rpcRule !== undefined);
      return;
    } catch (thrown) {
      const problem = toProblem(thrown);
      if (problem.reason === 'internal') throw thrown;
      if (rpcRule === undefined) options.refuseRest(request, reply, problem);
      else
        refuseRpc(
          reply,
          request.headers['content-type'],
          toConnectError(problem, userIdOf(request.caller.principal)),
        );
      return reply;
    }
  };
}

function admit(request: FastifyRequest, principal: Principal, rule: MethodRule, isRpc: boolean): void {
  permit(principal, rule.roles);
  const length = Number(request.headers['content-length'] ?? 0);
  const limit = BODY_LIMITS[rule.plane];
  if (length > limit) throw new Problem('body_too_large', `The body is larger than ${limit} bytes`);
  const contentType = request.headers['content-type'];
  const accepted = isRpc ? RPC_CONTENT_TYPE : REST_CONTENT_TYPE;
  const carriesBody = isRpc || (request.method !== 'GET' && request.method !== 'HEAD' && hasBody(request));
  if (carriesBody && !accepted.test(contentType ?? '')) {
    throw new Problem('unsupported_media_type', 'The content type must be application/json', {
      metadata: { content_type: contentType ?? null },
    });
  }
}

const REST_CONTENT_TYPE = /^application\/json(?:\s*;\s*charset="?utf-8"?)?\s*$/i;

function hasBody(request: FastifyRequest): boolean {
  const { headers } = request;
  return (
    headers['content-type'] !== undefined ||
    headers['transfer-encoding'] !== undefined ||
    Number(headers['content-length'] ?? 0) > 0
  );
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

function callerFrom(request: FastifyRequest, principal: Principal, options: GateOptions): Caller {
  return {
    principal,
    region: options.regionOf(request.hostname.toLowerCase()),
    requestId: request.id,
    baseUrl: options.publicUrl ?? `${request.protocol}://${request.host}`,
  };
}

function pathOf(request: FastifyRequest): string {
  const end = request.url.indexOf('?');
  return end < 0 ? request.url : request.url.slice(0, end);
}
