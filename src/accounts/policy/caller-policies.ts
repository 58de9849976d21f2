import type { Catalog } from '../../catalog/catalog.js';
import type { Visibility } from '../../catalog/visibility.js';
import type { SpendLimit } from '../../ledger/limits.js';
import type { Payer } from '../../ledger/payer.js';
import { createPolicyReader, type PolicyStore } from './policy-reader.js';
import type { Preferences } from './preferences.js';
import { createVisibilities } from './visibilities.js';

/** What the preferences and guardrails that apply to a caller say. */
export interface CallerPolicies {
  /** What they leave visible through the region, and how its endpoints are sorted where the request does not say. */
  routingPolicy(
    caller: Payer,
    region: string,
    catalog: Catalog,
  ): Promise<{ readonly visibility: Visibility; readonly defaultSort: Preferences['defaultSort'] }>;
  /** Every budget that applies. */
  budgetsOf(caller: Payer): Promise<readonly SpendLimit[]>;
  /** Every budget that applies, and the API key's own limit. */
  limitsOf(caller: Payer & { readonly limit: SpendLimit | null }): Promise<readonly SpendLimit[]>;
}

export function createCallerPolicies(store: PolicyStore): CallerPolicies {
  const reader = createPolicyReader(store);
  const visibilities = createVisibilities();
  const policyOf = ({ accountId, apiKeyHash, userId, workspaceId }: Payer) =>
    reader.callerPolicy(accountId, apiKeyHash, userId, workspaceId);
  return {
    async routingPolicy(caller, region, catalog) {
      const policy = await policyOf(caller);
      return { visibility: visibilities(policy, region, catalog), defaultSort: policy.defaultSort };
    },
    async budgetsOf(caller) {
      return (await policyOf(caller)).limits;
    },
    async limitsOf(caller) {
      const { limits } = await policyOf(caller);
      return caller.limit === null ? limits : [caller.limit, ...limits];
    },
  };
}
