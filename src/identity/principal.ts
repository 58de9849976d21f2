import type { SpendLimit } from '../ledger/limits.js';
import type { Plan } from '../ledger/plan.js';

/** Nobody: the request carried no credential. */
export interface Anonymous {
  readonly kind: 'anonymous';
}

/** An application that uses models. */
export interface ApiKeyPrincipal {
  readonly kind: 'api_key';
  readonly accountId: string;
  readonly workspaceId: string;
  readonly keyHash: string;
  /** The member that the key's requests count for: its `creator_user_id`. */
  readonly userId: string;
  /** What its account pays by. */
  readonly plan: Plan;
  /** Its own limit; null = none. */
  readonly limit: SpendLimit | null;
}

/** Somebody who administers an account. */
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

/** Somebody who runs the gateway: of no account, and so no user of any. */
export interface OperatorKeyPrincipal {
  readonly kind: 'operator_key';
  readonly hash: string;
}

/** Who is asking (interface section 3). */
export type Principal =
  | Anonymous
  | ApiKeyPrincipal
  | ManagementKeyPrincipal
  | ClientPrincipal
  | OperatorKeyPrincipal;

/** Who may administer API keys. */
export type KeyAdministrator = ManagementKeyPrincipal | ClientPrincipal;

/** The user that the principal acts as; undefined for nobody and for operators. */
export function userIdOf(principal: Principal): string | undefined {
  return 'userId' in principal ? principal.userId : undefined;
}
