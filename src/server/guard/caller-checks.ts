import type { FastifyRequest } from 'fastify';
import { type MethodRule, Plane, Role } from '../../../gen/byway/options/v1/options_pb.js';
import type { Clock } from '../../base/clock.js';
import { Problem, shuttingDown } from '../../base/problem.js';
import { bodyLimitBytes } from '../../http/body.js';
import { type Authenticator, authorizationOf, missingAuthentication } from '../../identity/authenticate.js';
import type { Principal } from '../../identity/principal.js';
import type { RateLimiter } from '../../identity/rate-limit.js';
import type { Caller } from '../../rpc/caller.js';
import { clientNetwork } from './client-address.js';
import type { Hosts } from './hosts.js';
import { type HeaderTarget, limitRate } from './rate-limit.js';

export interface CallerCheckOptions {
  readonly authenticator: Authenticator;
  readonly clock: Clock;
  /** Counts administrative calls; null = no rate limit. */
  readonly rateLimiter: RateLimiter | null;
  readonly hosts: Hosts;
  /** Number of the operator's proxies before this server, each of which adds to `X-Forwarded-For`. */
  readonly trustedProxies: number;
  /** Whether the server takes no more requests. */
  readonly isDraining: () => boolean;
}

/** What is known of a request before its body, whatever serves it. */
export type IncomingRequest = Pick<FastifyRequest, 'headers' | 'host' | 'id' | 'ip' | 'protocol'>;

/** The checks of a request that do not depend on what serves it. */
export interface CallerChecks {
  /** Throws a 421 or 400 Problem for a request to a host that is not the server's. */
  checkHost(request: IncomingRequest): void;
  /** The caller before authentication. */
  anonymous(request: IncomingRequest): Caller;
  /** Throws 401 and 429 Problems. A promise only where the credential has to be looked up. */
  authenticate(request: IncomingRequest): Principal | Promise<Principal>;
  /**
   * Throws 403, 503, 429 and 413 Problems. Sets the headers of the rate limit on the answer, whatever that will be. A promise
   * only where the call is counted.
   */
  permit(principal: Principal, wanted: Wanted, answer: HeaderTarget): Promise<void> | undefined;
}

/** What a request wants to do. */
export interface Wanted {
  readonly rule: MethodRule;
  /** Whether it is refused once the server drains, unlike what watches the server. */
  readonly isOperation: boolean;
  /** As announced; 0 when it is not. */
  readonly bodyBytes: number;
  /** What the body may have besides its message. */
  readonly framingBytes: number;
}

export function createCallerChecks(options: CallerCheckOptions): CallerChecks {
  const { authenticator, clock, hosts, rateLimiter, trustedProxies, isDraining } = options;
  return {
    checkHost: hosts.check,
    anonymous: (request) => ({
      principal: ANONYMOUS,
      requestId: request.id,
      ...hosts.hostOf(request),
    }),
    authenticate(request) {
      const authorization = authorizationOf(request.headers);
      const nowMs = clock.now();
      return (
        authenticator.authenticateFromMemory(authorization, nowMs) ??
        authenticator.authenticate(authorization, nowMs, () => clientNetwork(request, trustedProxies))
      );
    },
    permit(principal, { rule, isOperation, bodyBytes, framingBytes }, answer) {
      checkRole(principal, rule.roles);
      if (isOperation && isDraining()) throw shuttingDown();
      const checkSize = () => {
        const limit = bodyLimitBytes(rule.plane);
        if (bodyBytes > limit + framingBytes) {
          throw new Problem('body_too_large', `The body is larger than ${limit} bytes`);
        }
      };
      const isCounted = rule.plane === Plane.ADMINISTRATION || rule.plane === Plane.BATCHES;
      if (isCounted && rateLimiter !== null) {
        return limitRate(rateLimiter, principal, clock.now(), answer).then(checkSize);
      }
      checkSize();
      return undefined;
    },
  };
}

const ANONYMOUS: Principal = { kind: 'anonymous' };

function checkRole(principal: Principal, roles: readonly Role[]): void {
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
