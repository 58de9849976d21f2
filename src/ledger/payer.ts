/** Who pays for a request: the subjects that its charges count for, and the plan of the account. */
import { LruMap } from '../base/memory/lru-map.js';
import type { NanoUsd } from '../base/money.js';

/** Who a request is charged to. */
export interface Payer {
  readonly accountId: string;
  readonly workspaceId: string;
  readonly apiKeyHash: string;
  /** The member: the key's `creator_user_id`. */
  readonly userId: string;
}

/** The plan of an account sets its free allowance of BYOK usage. */
export const BILLING_PLANS = ['pay_as_you_go', 'enterprise'] as const;
export type BillingPlan = (typeof BILLING_PLANS)[number];

/**
 * `unbilled` is the plan in a process that bills nothing. What was admitted under it is never charged, whoever settles
 * it and whenever.
 */
export type BillingPlanInForce = BillingPlan | 'unbilled';

/** What the plans of accounts are in a process that bills, or does not. */
export function billingPlanInForce(isBilled: boolean): (plan: BillingPlan) => BillingPlanInForce {
  return isBilled ? (plan) => plan : () => 'unbilled';
}

/** BYOK usage at list price that is free of the fee, per account and calendar month. */
export const BYOK_ALLOWANCE_NANO_USD: Record<BillingPlan, NanoUsd> = {
  pay_as_you_go: 25_000n * 10n ** 9n,
  enterprise: 200_000n * 10n ** 9n,
};

/** The keys of the running totals. The user identifier is the only free text in them, so it comes last. */
export const subjects = {
  /** What is charged to its credits, and what counts into its free BYOK allowance. */
  account: (accountId: string) => `account/${accountId}`,
  /** What an account has used and is never charged for, in place of `account`. */
  unbilled: (accountId: string) => `unbilled/${accountId}`,
  key: (hash: string) => `key/${hash}`,
  /** A member across all workspaces. */
  member: (accountId: string, userId: string) => `member/${accountId}/${userId}`,
  workspace: (workspaceId: string) => `workspace/${workspaceId}`,
  workspaceMember: (workspaceId: string, userId: string) => `workspace-member/${workspaceId}/${userId}`,
};

/** All subjects that something which is not billed counts for: every limit, but neither credits nor the allowance. */
export function unbilledSubjectsOf(payer: Payer): readonly string[] {
  const [, ...limited] = subjectsOf(payer);
  return [subjects.unbilled(payer.accountId), ...limited];
}

/** All subjects that a charge to the payer counts for, the account first. */
export function subjectsOf(payer: Payer): readonly string[] {
  const known = nameCache.get(payer.apiKeyHash);
  if (known !== undefined && isSame(known.payer, payer)) return known.names;
  const { accountId, workspaceId, apiKeyHash, userId } = payer;
  const names = namesOf(payer);
  nameCache.set(apiKeyHash, { payer: { accountId, workspaceId, apiKeyHash, userId }, names });
  return names;
}

/** API keys whose subjects are cached. */
const MAX_CACHED_NAMES = 1_000;
const nameCache = new LruMap<string, { readonly payer: Payer; readonly names: readonly string[] }>(
  MAX_CACHED_NAMES,
);

function isSame(a: Payer, b: Payer): boolean {
  return a.accountId === b.accountId && a.workspaceId === b.workspaceId && a.userId === b.userId;
}

function namesOf({ accountId, workspaceId, apiKeyHash, userId }: Payer): readonly string[] {
  return [
    subjects.account(accountId),
    subjects.key(apiKeyHash),
    subjects.member(accountId, userId),
    subjects.workspace(workspaceId),
    subjects.workspaceMember(workspaceId, userId),
  ];
}
