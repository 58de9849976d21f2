/** Who pays for a request: the subjects that its charges count for, and the plan of the account. */
import { LruMap } from '../base/memory/lru-map.js';
import type { NanoUsd } from '../base/money.js';

/** An API key, and whose it is. */
export interface Keyholder {
  readonly accountId: string;
  readonly workspaceId: string;
  readonly apiKeyHash: string;
  /** The member: the key's `creator_user_id`. */
  readonly userId: string;
}

/** Who a request is charged to. */
export interface Payer extends Keyholder {
  /** The run that the request is a part of; null = none. */
  readonly runId: string | null;
  /** The end user of the API key that it is made for; null = none is named. */
  readonly endUser: string | null;
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

/** The keys of the running totals. Free text comes last: the names of members and end users. */
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
  run: (runId: string) => `run/${runId}`,
  /** An end user of one API key. */
  endUser: (keyHash: string, endUser: string) => `end-user/${keyHash}/${endUser}`,
};

/** All subjects that something which is not billed counts for: every limit, but neither credits nor the allowance. */
export function unbilledSubjectsOf(payer: Payer): readonly string[] {
  const [, ...limited] = subjectsOf(payer);
  return [subjects.unbilled(payer.accountId), ...limited];
}

/** All subjects that a charge to the payer counts for, the account first. */
export function subjectsOf(payer: Payer): readonly string[] {
  const names = keyholderSubjectsOf(payer);
  const { apiKeyHash, runId, endUser } = payer;
  if (runId === null && endUser === null) return names;
  const all = [...names];
  if (runId !== null) all.push(subjects.run(runId));
  if (endUser !== null) all.push(subjects.endUser(apiKeyHash, endUser));
  return all;
}

function keyholderSubjectsOf(holder: Keyholder): readonly string[] {
  const known = nameCache.get(holder.apiKeyHash);
  if (known !== undefined && isSame(known.holder, holder)) return known.names;
  const { accountId, workspaceId, apiKeyHash, userId } = holder;
  const names = namesOf(holder);
  nameCache.set(apiKeyHash, { holder: { accountId, workspaceId, apiKeyHash, userId }, names });
  return names;
}

/** API keys whose subjects are cached. */
const MAX_CACHED_NAMES = 1_000;
const nameCache = new LruMap<string, { readonly holder: Keyholder; readonly names: readonly string[] }>(
  MAX_CACHED_NAMES,
);

function isSame(a: Keyholder, b: Keyholder): boolean {
  return a.accountId === b.accountId && a.workspaceId === b.workspaceId && a.userId === b.userId;
}

function namesOf({ accountId, workspaceId, apiKeyHash, userId }: Keyholder): readonly string[] {
  return [
    subjects.account(accountId),
    subjects.key(apiKeyHash),
    subjects.member(accountId, userId),
    subjects.workspace(workspaceId),
    subjects.workspaceMember(workspaceId, userId),
  ];
}
