import { createContextKey, type HandlerContext } from '@connectrpc/connect';
import { missingAuthentication } from '../identity/authenticate.js';
import type {
  Anonymous,
  KeyAdministrator,
  ManagementKeyPrincipal,
  Principal,
} from '../identity/principal.js';

/** Who calls, and on which host. Every transport sets it before a service runs. */
export interface Caller {
  readonly principal: Principal;
  /** The region of the host that the request was made to; `global` on the ordinary host. */
  readonly region: string;
  /** Identifies the request in logs and records. */
  readonly requestId: string;
  /** Root of absolute URLs in answers, without a trailing slash. */
  readonly baseUrl: string;
}

/** The caller of a call that nothing has authenticated. */
export const NOBODY: Caller = {
  principal: { kind: 'anonymous' },
  region: 'global',
  requestId: '',
  baseUrl: '',
};

/** The context value that carries a call's caller. */
export const callerKey = createContextKey<Caller>(NOBODY, { description: 'caller' });

export function callerOf(context: HandlerContext): Caller {
  return context.values.get(callerKey);
}

/**
 * The call's principal, narrowed to the kinds that the method admits. Throws 401 for any other, which the request
 * guard has refused before.
 */
export function principalOf<K extends Exclude<Principal, Anonymous>['kind']>(
  context: HandlerContext,
  ...kinds: readonly K[]
): Extract<Principal, { kind: K }> {
  return principalOfKind(callerOf(context), ...kinds);
}

/** As `principalOf`, for checks, which get the caller and no context. */
export function principalOfKind<K extends Exclude<Principal, Anonymous>['kind']>(
  { principal }: Caller,
  ...kinds: readonly K[]
): Extract<Principal, { kind: K }> {
  const isAdmitted = (p: Principal): p is Extract<Principal, { kind: K }> =>
    kinds.some((kind) => kind === p.kind);
  if (!isAdmitted(principal)) throw missingAuthentication();
  return principal;
}

export function managerOf(context: HandlerContext): ManagementKeyPrincipal {
  return principalOf(context, 'management_key');
}

export function keyAdministratorOf(context: HandlerContext): KeyAdministrator {
  return principalOf(context, 'management_key', 'client');
}
