/** The policies of callers, as routing and the ledger need them. */
import type { CacheReport } from '../../base/memory/bounded-cache.js';
import type { Catalog } from '../../catalog/assembled/catalog.js';
import type { Visibility } from '../../catalog/visibility.js';
import { type EndUserRules, endUserLimit } from '../../ledger/end-users.js';
import type { SpendLimit } from '../../ledger/limits.js';
import type { Keyholder } from '../../ledger/payer.js';
import { type CallerPolicy, resolvePolicy } from './policy.js';
import { createPolicyReader, type PolicyStore } from './policy-reader.js';
import type { Preferences } from './preferences.js';

export interface CallerPolicies {
  /** What the caller may see through the region, and the account's default sort. */
  routingPolicy(
    caller: Keyholder,
    region: string,
    catalog: Catalog,
  ): Promise<{ readonly visibility: Visibility; readonly defaultSort: Preferences['defaultSort'] }>;
  /** The budgets of guardrails and of the workspace. */
  budgetsOf(caller: Keyholder): Promise<readonly SpendLimit[]>;
  /** The API key's own limit, that of its end user (null = nobody), and all budgets. */
  limitsOf(caller: LimitedCaller, endUser: string | null): Promise<readonly SpendLimit[]>;
  cacheReports(): readonly CacheReport[];
}

export interface LimitedCaller extends Keyholder {
  /** Of the API key itself; null = none. */
  readonly limit: SpendLimit | null;
  readonly endUsers: EndUserRules | null;
}

export function createCallerPolicies(store: PolicyStore): CallerPolicies {
  const reader = createPolicyReader(store);
  const visibilities = createVisibilities();
  const policyOf = ({ accountId, apiKeyHash, userId, workspaceId }: Keyholder) =>
    reader.callerPolicy(accountId, apiKeyHash, userId, workspaceId);
  return {
    async routingPolicy(caller, region, catalog) {
      const policy = await policyOf(caller);
      return { visibility: visibilities(policy, region, catalog), defaultSort: policy.defaultSort };
    },
    async budgetsOf(caller) {
      return (await policyOf(caller)).limits;
    },
    async limitsOf(caller, endUser) {
      const { limits } = await policyOf(caller);
      const own = [caller.limit, endUserLimit(caller.endUsers, endUser)].filter((limit) => limit !== null);
      return own.length === 0 ? limits : [...own, ...limits];
    },
    cacheReports: () => reader.cacheReports(),
  };
}

type Visibilities = (policy: CallerPolicy, region: string, catalog: Catalog) => Visibility;

interface Resolved {
  readonly catalog: Catalog;
  readonly visibility: Visibility;
}

/**
 * Caches the result for each policy and region until the catalogue changes. The same policy gives the same object, so
 * that callers can key caches of their own by it. There are few regions, since the operator configures them.
 */
export function createVisibilities(): Visibilities {
  const byPolicy = new WeakMap<CallerPolicy, Map<string, Resolved>>();
  return (policy, region, catalog) => {
    const byRegion = byPolicy.get(policy) ?? new Map<string, Resolved>();
    byPolicy.set(policy, byRegion);
    const known = byRegion.get(region);
    if (known?.catalog === catalog) return known.visibility;
    const visibility = resolvePolicy(policy, region, catalog.resolveId);
    byRegion.set(region, { catalog, visibility });
    return visibility;
  };
}
