import { createContextKey, type HandlerContext } from '@connectrpc/connect';
import { missingAuthentication } from '../identity/authenticate.js';
import type {
  Anonymous,
  KeyAdministrator,
  ManagementKeyPrincipal,
  Principal,
} from '../identity/principal.js';

/** Who calls, and through what. Every door decides it before a service is reached. */
export interface Caller {
  readonly principal: Principal;
  /** The region of the host that the request was made to; `global` on the ordinary host. */
  readonly region: string;
  /** Identifies the request in logs and records. */
  readonly requestId: string;
  /** Root of absolute URLs in answers, without a slash at its end. */
  readonly baseUrl: string;
}

/** The caller of a call nobody vouched for. */
export const NOBODY: Caller = {
  principal: { kind: 'anonymous' },
  region: 'global',
  requestId: '',
  baseUrl: '',
};

/** Where a call's context carries its caller. */
export const callerKey = createContextKey<Caller>(NOBODY, { description: 'caller' });

/** The caller of the call. */
export function callerOf(context: HandlerContext): Caller {
  return context.values.get(callerKey);
}

/** The principal of the call, as one of the kinds that the method admits. Throws 401 for any other: the gate has refused it before. */
export function principalOf<K extends Exclude<Principal, Anonymous>['kind']>(
  context: HandlerContext,
  ...kinds: readonly K[]
): Extract<Principal, { kind: K }> {
  return admitted(callerOf(context), ...kinds);
}

/** As `principalOf`, for a check that is told the caller. */
export function admitted<K extends Exclude<Principal, Anonymous>['kind']>(
  { principal }: Caller,
  ...kinds: readonly K[]
): Extract<Principal, { kind: K }> {
  const isAdmitted = (p: Principal): p is Extract<Principal, { kind: K }> =>
    kinds.some((kind) => kind === p.kind);
  if (!isAdmitted(principal)) throw missingAuthentication();
  return principal;
}

/** The management key that calls. */
export function managerOf(context: HandlerContext): ManagementKeyPrincipal {
  return principalOf(context, 'management_key');
}

/** The management key or client that calls. */
export function keyAdministratorOf(context: HandlerContext): KeyAdministrator {
  return principalOf(context, 'management_key', 'client');
}
