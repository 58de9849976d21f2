/** The kinds of authenticated callers, and the spending limit that an API key carries. */
import type { EndUserRules } from '../ledger/end-users.js';
import type { SpendLimit } from '../ledger/limits.js';
import type { BillingPlanInForce } from '../ledger/payer.js';

/** A caller without a credential. */
export interface Anonymous {
  readonly kind: 'anonymous';
}

/** An application that uses models, with an API key. */
export interface ApiKeyPrincipal {
  readonly kind: 'api_key';
  readonly accountId: string;
  readonly workspaceId: string;
  readonly keyHash: string;
  /** The member that the key's requests are attributed to: its `creator_user_id`. */
  readonly userId: string;
  readonly plan: BillingPlanInForce;
  /** null = none. */
  readonly limit: SpendLimit | null;
  /** null = none. */
  readonly endUsers: EndUserRules | null;
  /** How old cached answers may be, in seconds, for requests that say nothing; null = none is cached. */
  readonly cacheTtl: number | null;
}

/** An administrator of an account, with a management key. */
export interface ManagementKeyPrincipal {
  readonly kind: 'management_key';
  readonly accountId: string;
  readonly hash: string;
  /** The account's owner. */
  readonly userId: string;
}

/** A client application, which administers the API keys that it has created. */
export interface ClientPrincipal {
  readonly kind: 'client';
  readonly accountId: string;
  readonly clientId: string;
  /** The member that its keys belong to. */
  readonly userId: string;
}

/** An operator of the gateway, which belongs to no account and is no user. */
export interface OperatorKeyPrincipal {
  readonly kind: 'operator_key';
  readonly hash: string;
}

/** The authenticated caller, see `docs/credentials.md#who-may-call-what`. */
export type Principal =
  | Anonymous
  | ApiKeyPrincipal
  | ManagementKeyPrincipal
  | ClientPrincipal
  | OperatorKeyPrincipal;

export type KeyAdministrator = ManagementKeyPrincipal | ClientPrincipal;

/** undefined for anonymous callers and operators. */
export function userIdOf(principal: Principal): string | undefined {
  return 'userId' in principal ? principal.userId : undefined;
}
