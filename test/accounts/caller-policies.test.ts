import { describe, expect, it } from 'vitest';
import { createCallerPolicies, createVisibilities } from '../../src/accounts/policy/caller-policies.js';
import { combinePolicies, type PolicySources } from '../../src/accounts/policy/policy.js';
import { DEFAULT_PREFERENCES } from '../../src/accounts/policy/preferences.js';
import type { Catalog } from '../../src/catalog/assembled/catalog.js';

const sources: PolicySources = {
  preferences: { ...DEFAULT_PREFERENCES, defaultSort: 'latency' },
  guardrails: [],
  hasSharedCapacity: true,
  workspaceBudgets: {
    workspaceId: 'w',
    workspaceName: 'W',
    includeByokInBudgets: false,
    budgets: [{ id: 'b', workspaceId: 'w', interval: 'daily', limitNanoUsd: 7n, createdAt: 0, updatedAt: 0 }],
  },
};
const caller = { accountId: 'a', workspaceId: 'w', apiKeyHash: 'k', userId: 'u' };
const catalog = () => ({ resolveId: (name: string) => name }) as unknown as Catalog;

describe('what applies to a caller', () => {
  const policies = createCallerPolicies({
    readSources: async (...ids) => {
      expect(ids).toEqual(['a', 'u', 'w']);
      return sources;
    },
    readKeyGuardrails: async () => [],
    onPolicyChange: () => undefined,
  });
  const own = {
    kind: 'key',
    subject: 'key/k',
    interval: null,
    includeByok: false,
    limitNanoUsd: 1n,
    id: 'id',
    name: 'Name',
    title: null,
  } as const;

  const RULES = {
    keyHash: 'hash',
    limitNanoUsd: 5n as bigint | null,
    interval: 'daily',
    includeByok: true,
    isRequired: true,
  } as const;

  it('is every budget, and the limit of the API key if it has one', async () => {
    const budgets = await policies.budgetsOf(caller);
    expect(budgets.map(({ kind, limitNanoUsd }) => [kind, limitNanoUsd])).toEqual([['workspace', 7n]]);
    const limitsOf = (
      limit: typeof own | null,
      endUser: string | null = null,
      endUsers = null as typeof RULES | null,
    ) => policies.limitsOf({ ...caller, limit, endUsers }, endUser);
    expect(await limitsOf(null)).toEqual(budgets);
    expect(await limitsOf(own)).toEqual([own, ...budgets]);
    expect(await limitsOf(own, 'ann')).toEqual([own, ...budgets]);
    expect(await limitsOf(own, null, RULES)).toEqual([own, ...budgets]);
    const ofAnn = {
      ...{ kind: 'end_user', subject: `end-user/${RULES.keyHash}/ann`, id: 'ann', name: 'ann', title: null },
      ...{ interval: 'daily', includeByok: true, limitNanoUsd: 5n },
    };
    expect(await limitsOf(own, 'ann', RULES)).toEqual([own, ofAnn, ...budgets]);
    expect(await limitsOf(null, 'ann', RULES)).toEqual([ofAnn, ...budgets]);
    expect(await limitsOf(null, 'ann', { ...RULES, limitNanoUsd: null })).toEqual(budgets);
  });

  it('is what is visible through the region, and the sort of the account', async () => {
    const { visibility, defaultSort } = await policies.routingPolicy(caller, 'eu', catalog());
    expect([visibility.region, defaultSort]).toEqual(['eu', 'latency']);
  });
});

it('what is visible is the same object until the policy, the region or the catalogue changes', () => {
  const visibilities = createVisibilities();
  const [policy, here] = [combinePolicies(sources), catalog()];
  const first = visibilities(policy, 'eu', here);
  expect(visibilities(policy, 'us', here)).not.toBe(first);
  expect(visibilities(policy, 'eu', here)).toBe(first);
  expect(visibilities(combinePolicies(sources), 'eu', here)).not.toBe(first);
  const later = visibilities(policy, 'eu', catalog());
  expect(later).not.toBe(first);
});
