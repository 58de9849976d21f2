import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { emptyGuardrail, type Guardrail } from '../../src/accounts/guardrails/guardrail.js';
import {
  budgetLimits,
  combinePolicies,
  type GuardrailScope,
  type PolicySources,
  regionAllowed,
  resolvePolicy,
} from '../../src/accounts/policy/policy.js';
import { DEFAULT_PREFERENCES, type Preferences } from '../../src/accounts/policy/preferences.js';
import type { DataPolicy, Endpoint, Provider } from '../../src/catalog/types.js';
import { hiddenReason } from '../../src/catalog/visibility.js';
import { subjects } from '../../src/ledger/payer.js';

const MODELS = ['a/one', 'a/two', 'b/one'];
const PROVIDERS = ['openai', 'azure', 'demo'];
const REGIONS = ['global', 'eu', 'us'];

/** `slug-of-x` names the model x. */
const resolve = (name: string): string => name.replace(/^slug-of-/, '');

const names = (known: readonly string[]) =>
  fc.option(fc.uniqueArray(fc.constantFrom(...known, 'unknown'), { maxLength: 4 }), { nil: null });
const models = names([...MODELS, ...MODELS.map((id) => `slug-of-${id}`)]);
const providers = names(PROVIDERS);
const collection = fc.constantFrom('allow' as const, 'deny' as const, null);

const guardrail: fc.Arbitrary<Guardrail> = fc
  .record({
    allowedModels: models,
    ignoredModels: models,
    allowedProviders: providers,
    ignoredProviders: providers,
    enforceZdr: fc.boolean(),
    dataCollection: collection,
    allowedDataRegions: names(REGIONS),
  })
  .map((rules) => ({ ...emptyGuardrail({ id: 'g', accountId: 'a', workspaceId: 'w' }, 0), ...rules }));
const applied = fc.record({
  scope: fc.constantFrom<GuardrailScope>('key', 'member', 'workspace'),
  guardrail,
});
const preferences: fc.Arbitrary<Preferences> = fc.record({
  allowedProviders: providers,
  ignoredProviders: providers,
  zdr: fc.boolean(),
  dataCollection: collection,
  defaultSort: fc.constantFrom('price' as const, null),
});
const NO_BUDGETS = { workspaceId: 'w', workspaceName: 'W', includeByokInBudgets: false, budgets: [] };
const sources: fc.Arbitrary<PolicySources> = fc.record({
  preferences,
  guardrails: fc.array(applied, { maxLength: 3 }),
  workspaceBudgets: fc.constant(NO_BUDGETS),
  hasSharedCapacity: fc.constant(true),
});

/** All possible requests: each endpoint through each host. */
interface Case {
  readonly endpoint: Endpoint;
  readonly region: string;
}

const CASES: readonly Case[] = MODELS.flatMap((modelId) =>
  PROVIDERS.flatMap((provider) =>
    [true, false].flatMap((zdr) =>
      [true, false].flatMap((dataCollection) =>
        REGIONS.map((region) => ({
          endpoint: endpointOf(modelId, provider, region, { zdr, dataCollection }),
          region,
        })),
      ),
    ),
  ),
);

/** Its region is that of the host, so that region visibility hides nothing here. */
function endpointOf(modelId: string, provider: string, region: string, dataPolicy: DataPolicy): Endpoint {
  return {
    id: `${provider}/${modelId}`,
    provider,
    modelId,
    upstreamModelId: modelId,
    region: region === 'global' ? null : region,
    pricing: { prices: { prompt: '0', completion: '0' }, discount: null, overrides: [] },
    contextLength: null,
    maxCompletionTokens: null,
    isModerated: false,
    quantization: null,
    supportedParameters: [],
    dataPolicy,
    status: 'active',
    formats: ['chat'],
    quirks: {},
  };
}

function providerOf(slug: string): Provider {
  return {
    slug,
    name: slug,
    adapter: 'demo',
    baseUrl: null,
    storageBaseUrl: null,
    quirks: {},
    regions: [],
    dataPolicy: {},
    headquarters: null,
    datacenters: [],
    privacyPolicyUrl: null,
    termsOfServiceUrl: null,
    statusPageUrl: null,
  };
}

/** The cases that the combined policy admits. */
function admitted(from: PolicySources): Case[] {
  const policy = combinePolicies(from);
  return CASES.filter(({ endpoint, region }) => {
    const visibility = resolvePolicy(policy, region, resolve);
    const hidden = hiddenReason(endpoint, providerOf(endpoint.provider), visibility);
    return hidden === null && regionAllowed(policy, region);
  });
}

/** Whether a single guardrail admits the case, by a separate implementation of its rules. */
function passes({ endpoint, region }: Case, rules: Guardrail): boolean {
  const { modelId, provider, dataPolicy } = endpoint;
  const lists = (entries: readonly string[] | null, name: string) =>
    entries === null ? undefined : entries.map(resolve).includes(name);
  return (
    lists(rules.allowedModels, modelId) !== false &&
    lists(rules.ignoredModels, modelId) !== true &&
    lists(rules.allowedProviders, provider) !== false &&
    lists(rules.ignoredProviders, provider) !== true &&
    lists(rules.allowedDataRegions, region) !== false &&
    (dataPolicy.zdr || !rules.enforceZdr) &&
    !(dataPolicy.dataCollection && rules.dataCollection === 'deny')
  );
}

function asGuardrail({ zdr, ...rest }: Preferences): Guardrail {
  return { ...emptyGuardrail({ id: 'p', accountId: 'a', workspaceId: 'w' }, 0), ...rest, enforceZdr: zdr };
}

describe('combined guardrails', () => {
  test('admit a request exactly when the preferences and every single guardrail admit it', () => {
    fc.assert(
      fc.property(sources, (from) => {
        const rules = [asGuardrail(from.preferences), ...from.guardrails.map((one) => one.guardrail)];
        const expected = CASES.filter((one) => rules.every((rule) => passes(one, rule)));
        expect(admitted(from)).toEqual(expected);
      }),
      { numRuns: 300 },
    );
  });

  test('a further guardrail can only restrict', () => {
    fc.assert(
      fc.property(sources, applied, (from, further) => {
        const before = new Set(admitted(from));
        const after = admitted({ ...from, guardrails: [...from.guardrails, further] });
        expect(after.every((one) => before.has(one))).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  test('order and repetition make no difference', () => {
    fc.assert(
      fc.property(sources, (from) => {
        const twice = [...from.guardrails.toReversed(), ...from.guardrails];
        expect(admitted({ ...from, guardrails: twice })).toEqual(admitted(from));
      }),
      { numRuns: 100 },
    );
  });

  test('null restricts nothing; an empty list of allowed names admits nothing', () => {
    const nothing = {
      preferences: DEFAULT_PREFERENCES,
      guardrails: [],
      workspaceBudgets: NO_BUDGETS,
      hasSharedCapacity: true,
    };
    expect(admitted(nothing)).toEqual(CASES);
    for (const field of ['allowedModels', 'allowedProviders', 'allowedDataRegions'] as const) {
      const empty = { ...asGuardrail(DEFAULT_PREFERENCES), [field]: [] };
      expect(admitted({ ...nothing, guardrails: [{ scope: 'key', guardrail: empty }] })).toEqual([]);
    }
  });

  test('each budget is separate, one for each scope of its guardrail', () => {
    const limited = {
      ...asGuardrail(DEFAULT_PREFERENCES),
      limitNanoUsd: 5n,
      resetInterval: 'daily' as const,
      includeByokInBudgets: true,
    };
    const { guardrailBudgets } = combinePolicies({
      preferences: DEFAULT_PREFERENCES,
      guardrails: [
        { scope: 'key', guardrail: limited },
        { scope: 'member', guardrail: limited },
        { scope: 'workspace', guardrail: asGuardrail(DEFAULT_PREFERENCES) },
      ],
      workspaceBudgets: NO_BUDGETS,
      hasSharedCapacity: true,
    });
    const budget = { guardrailId: 'p', name: limited.name, limitNanoUsd: 5n, resetInterval: 'daily' };
    expect(guardrailBudgets).toEqual([
      { ...budget, scope: 'key', includeByok: true },
      { ...budget, scope: 'member', includeByok: true },
    ]);
  });

  test('each budget counts what its subject spends: the key, the member, the member in the workspace, or all', () => {
    const limited = { ...asGuardrail(DEFAULT_PREFERENCES), limitNanoUsd: 5n };
    const policy = combinePolicies({
      preferences: DEFAULT_PREFERENCES,
      guardrails: (['key', 'member', 'workspace'] as const).map((scope) => ({ scope, guardrail: limited })),
      hasSharedCapacity: true,
      workspaceBudgets: {
        ...NO_BUDGETS,
        budgets: [
          { id: 'b', workspaceId: 'w', interval: 'daily', limitNanoUsd: 7n, createdAt: 0, updatedAt: 0 },
        ],
      },
    });
    const payer = { accountId: 'a', workspaceId: 'w', apiKeyHash: 'k', userId: 'u' };
    const limits = budgetLimits(policy, payer).map(({ kind, subject, limitNanoUsd }) => [
      kind,
      subject,
      limitNanoUsd,
    ]);
    expect(limits).toEqual([
      ['guardrail', subjects.key('k'), 5n],
      ['guardrail', subjects.member('a', 'u'), 5n],
      ['guardrail', subjects.workspaceMember('w', 'u'), 5n],
      ['workspace', subjects.workspace(NO_BUDGETS.workspaceId), 7n],
    ]);
  });
});
