import { describe, expect, it } from 'vitest';
import { parseDecimal } from '../../src/base/money.js';
import type { Endpoint } from '../../src/catalog/types.js';
import { plan } from '../../src/routing/plan/plan.js';
import { EXCLUSION_REASONS, type ExclusionReason } from '../../src/routing/types.js';
import {
  endpoint,
  exclusions,
  type InputOverrides,
  input,
  key,
  pricing,
  provider,
  route,
  shared,
} from './contexts.js';

interface Case {
  readonly description: string;
  readonly endpoint?: Partial<Endpoint>;
  readonly overrides: InputOverrides;
}

const usd = (text: string) => parseDecimal(text) ?? null;
const noMaxPrice = { prompt: null, completion: null, request: null, image: null };
const keys = [key('K', 'a')];

/** For each reason a case in which it is the only one that holds for the one endpoint, or for the one key. */
const SHARED_CASES: Partial<Record<ExclusionReason, Case>> = {
  endpoint_disabled: { description: 'a disabled endpoint', endpoint: { status: 'disabled' }, overrides: {} },
  data_policy_zdr: {
    description: 'an endpoint without zero data retention, when the account demands it',
    endpoint: { dataPolicy: { zdr: false, dataCollection: false } },
    overrides: { policy: { zdr: true } },
  },
  data_policy_collection: {
    description: 'an endpoint that collects, when a guardrail denies it',
    endpoint: { dataPolicy: { zdr: true, dataCollection: true } },
    overrides: { policy: { denyDataCollection: true } },
  },
  region: {
    description: "an endpoint outside the host's region",
    endpoint: { region: 'us-east1' },
    overrides: { policy: { region: 'eu' } },
  },
  guardrail_model: {
    description: 'a model that one of several guardrails does not allow',
    overrides: { policy: { guardrailAllowedModels: [['m1'], ['m2']] } },
  },
  guardrail_provider: {
    description: 'a provider that one of several guardrails does not allow',
    overrides: { policy: { guardrailAllowedProviders: [['a'], ['b']] } },
  },
  preference_provider: {
    description: "a provider that the account's preferences ignore",
    overrides: { policy: { preferenceIgnoredProviders: ['a'] } },
  },
  request_only: { description: 'a provider not in only', overrides: { preferences: { only: ['b'] } } },
  request_ignore: { description: 'a provider in ignore', overrides: { preferences: { ignore: ['a'] } } },
  not_in_order: {
    description: 'a provider not in order, without fallbacks',
    overrides: { preferences: { order: ['b'], allowFallbacks: false } },
  },
  max_price: {
    description: 'an endpoint that costs more than max_price',
    endpoint: { pricing: pricing('0.000002') },
    overrides: { preferences: { maxPrice: { ...noMaxPrice, prompt: usd('1.99') } } },
  },
  quantization: {
    description: 'an endpoint of another quantization',
    endpoint: { quantization: 'fp4' },
    overrides: { preferences: { quantizations: ['fp8', 'bf16'] } },
  },
  unsupported_parameter: {
    description: 'an endpoint that lacks a used parameter, with require_parameters',
    overrides: { usedParameters: ['tools'], preferences: { requireParameters: true } },
  },
  context_length: {
    description: 'an endpoint whose context is too short',
    overrides: { promptTokens: 60_000, maxTokens: 40_001 },
  },
  always_use: {
    description: 'shared capacity where a key is always used',
    overrides: { keys: [key('K', 'a', { isRequired: true })] },
  },
  byok_only: {
    description: 'shared capacity where only keys may be used',
    overrides: { keys: [key('K', 'a', { isByokOnly: true })] },
  },
  no_shared_capacity: {
    description: 'shared capacity that the account does not have',
    overrides: { policy: { hasSharedCapacity: false } },
  },
  no_shared_credential: {
    description: 'shared capacity without a shared credential',
    overrides: { sharedProviders: shared() },
  },
  unpriced_mode: {
    description: 'shared capacity of an endpoint that nobody knows the price of',
    endpoint: { isUnpriced: true },
    overrides: {},
  },
  insufficient_credits: { description: 'shared capacity without credits', overrides: { hasCredits: false } },
  fallbacks_not_allowed: {
    description: 'what is not the first attempt, without fallbacks and without order',
    overrides: { keys, preferences: { allowFallbacks: false } },
  },
  attempt_cap: { description: 'what is beyond the maximum of attempts', overrides: { keys, maxAttempts: 1 } },
};

const KEY_CASES: Partial<Record<ExclusionReason, Case>> = {
  key_disabled: { description: 'a disabled key', overrides: { keys: [key('K', 'a', { disabled: true })] } },
  key_model_filter: {
    description: 'a key whose model filter does not match',
    overrides: { keys: [key('K', 'a', { allowedModels: [] })] },
  },
  key_api_key_filter: {
    description: 'a key whose API-key filter does not match',
    overrides: { keys: [key('K', 'a', { allowedApiKeyHashes: ['other'] })] },
  },
  key_member_filter: {
    description: 'a key whose member filter does not match',
    overrides: { keys: [key('K', 'a', { allowedUserIds: ['other'] })] },
  },
  key_not_zdr: {
    description: 'a key declared without zero data retention, when the request demands it',
    overrides: { keys: [key('K', 'a', { declaredZdr: false })], preferences: { zdr: true } },
  },
  key_unusable: {
    description: 'a key whose credential cannot be opened',
    overrides: { keys: [key('K', 'a', {}, { usable: false })] },
  },
};

describe('each exclusion reason', () => {
  it.each(Object.entries(SHARED_CASES))('%s', (reason, { description, endpoint: members, overrides }) => {
    const planned = plan(input([endpoint('a', members)], overrides));
    const exclusion = planned.excluded.find((one) => one.byokKeyId === null);
    expect(exclusion, description).toMatchObject({ provider: 'a', reason });
    expect(exclusion?.detail).toMatch(/^[A-Z].*\.$/);
  });

  it.each(Object.entries(KEY_CASES))('%s', (reason, { description, endpoint: members, overrides }) => {
    const planned = plan(input([endpoint('a', members)], overrides));
    expect(route(planned), description).toEqual(['a shared']);
    expect(planned.excluded).toMatchObject([{ provider: 'a', byokKeyId: 'K', reason }]);
    expect(planned.excluded[0]?.detail).toMatch(/^[A-Z].*\.$/);
  });

  it('key_no_endpoint: a key that is not for the model at a provider that has it, once and without endpoint', () => {
    const keys = [key('K', 'a', {}, { servesModel: () => false })];
    expect(plan(input([endpoint('a')], { keys })).excluded).toMatchObject([
      { provider: 'a', endpointId: null, byokKeyId: 'K', reason: 'key_no_endpoint' },
    ]);
  });

  it('none: keys of a provider that has no endpoint of the model are no exclusions', () => {
    const keys = [key('K', 'b'), key('D', 'b', { disabled: true })];
    expect(plan(input([endpoint('a')], { keys })).excluded).toEqual([]);
  });

  it('none: an endpoint whose provider the catalogue does not have is not planned at all', () => {
    const providers = new Map([['a', provider('a')]]);
    const planned = plan(input([endpoint('a'), endpoint('b')], { providers }));
    expect(route(planned)).toEqual(['a shared']);
    expect(planned.excluded).toEqual([]);
  });

  it('has a case for every reason', () => {
    const tested = [...Object.keys(SHARED_CASES), ...Object.keys(KEY_CASES), 'key_no_endpoint'];
    expect(tested.toSorted()).toEqual(EXCLUSION_REASONS.toSorted());
  });
});

describe('when several reasons hold, the first in the order of evaluation is reported', () => {
  /** Everything that can be wrong with one endpoint, in the order of evaluation, each with its remedy. */
  const remedies: readonly [ExclusionReason, Partial<Endpoint>, InputOverrides][] = [
    ['endpoint_disabled', { status: 'active' }, {}],
    ['data_policy_zdr', { dataPolicy: { zdr: true, dataCollection: true } }, {}],
    ['data_policy_collection', { dataPolicy: { zdr: true, dataCollection: false } }, {}],
    ['region', { region: 'europe-west1' }, {}],
    ['guardrail_model', {}, { policy: { guardrailIgnoredModels: [] } }],
    ['guardrail_provider', {}, { policy: { guardrailIgnoredProviders: [] } }],
    ['preference_provider', {}, { policy: { preferenceAllowedProviders: ['a'] } }],
    ['request_only', {}, { preferences: { only: null } }],
    ['request_ignore', {}, { preferences: { ignore: null } }],
    ['not_in_order', {}, { preferences: { order: null } }],
    ['max_price', {}, { preferences: { maxPrice: null } }],
    ['quantization', {}, { preferences: { quantizations: null } }],
    ['unsupported_parameter', {}, { preferences: { requireParameters: false } }],
    ['context_length', {}, { promptTokens: 0 }],
  ];
  const worstEndpoint: Partial<Endpoint> = {
    id: 'e',
    status: 'disabled',
    dataPolicy: { zdr: false, dataCollection: true },
    region: 'us-east1',
  };
  const everythingWrong = {
    keys: [key('K', 'a', { disabled: true, allowedModels: [], declaredZdr: false }, { usable: false })],
    usedParameters: ['tools'],
    promptTokens: 1_000_000,
    sharedProviders: shared(),
    hasCredits: false,
    maxAttempts: 0,
    policy: {
      zdr: true,
      denyDataCollection: true,
      region: 'eu',
      guardrailIgnoredModels: ['m1'],
      guardrailIgnoredProviders: ['a'],
      preferenceAllowedProviders: [],
    },
    preferences: {
      only: ['b'],
      ignore: ['a'],
      order: ['b'],
      allowFallbacks: false,
      maxPrice: { ...noMaxPrice, prompt: usd('0') },
      quantizations: ['fp8'],
      requireParameters: true,
    },
  };

  it('from endpoint state to context length, for shared capacity and keys alike', () => {
    let members = worstEndpoint;
    let overrides: InputOverrides = everythingWrong;
    for (const [reason, remedy, change] of remedies) {
      const planned = plan(input([endpoint('a', members)], overrides));
      expect(exclusions(planned)).toEqual([`e: ${reason}`, `e + K: ${reason}`]);
      members = { ...members, ...remedy };
      overrides = {
        ...overrides,
        ...change,
        policy: { ...overrides.policy, ...change.policy },
        preferences: { ...overrides.preferences, ...change.preferences },
      };
    }
    const planned = plan(input([endpoint('a', members)], overrides));
    expect(exclusions(planned)).toEqual(['e: no_shared_credential', 'e + K: key_disabled']);
  });

  it('then key state and filters', () => {
    const remedies: readonly [ExclusionReason, object][] = [
      ['key_disabled', { disabled: false }],
      ['key_model_filter', { allowedModels: null }],
      ['key_api_key_filter', { allowedApiKeyHashes: null }],
      ['key_member_filter', { allowedUserIds: null }],
      ['key_not_zdr', { declaredZdr: null }],
    ];
    const [e, preferences] = [endpoint('a'), { zdr: true }];
    let members: object = {
      disabled: true,
      allowedModels: [],
      allowedApiKeyHashes: ['x'],
      allowedUserIds: [],
      declaredZdr: false,
    };
    for (const [reason, remedy] of remedies) {
      const broken = [key('K', 'a', members, { usable: false })];
      const elsewhere = [key('K', 'a', members, { usable: false, servesModel: () => false })];
      expect(exclusions(plan(input([e], { keys: broken, preferences })))).toEqual([`a/m1 + K: ${reason}`]);
      expect(exclusions(plan(input([e], { keys: elsewhere, preferences })))).toEqual([`K: ${reason}`]);
      members = { ...members, ...remedy };
    }
    const unusable = [key('K', 'a', members, { usable: false })];
    expect(
      exclusions(plan(input([e], { keys: unusable, hasCredits: false, hasByokAllowance: false }))),
    ).toEqual(['a/m1: insufficient_credits', 'a/m1 + K: key_unusable']);
  });

  it('then shared capacity: always_use, byok_only, no_shared_credential, insufficient_credits', () => {
    const none = { sharedProviders: shared(), hasCredits: false };
    const reasonFor = (overrides: InputOverrides) => exclusions(plan(input([endpoint('a')], overrides)))[0];
    expect(reasonFor({ ...none, keys: [key('K', 'a', { isRequired: true, isByokOnly: true })] })).toBe(
      'a/m1: always_use',
    );
    expect(reasonFor({ ...none, keys: [key('K', 'a', { isByokOnly: true })] })).toBe('a/m1: byok_only');
    expect(reasonFor(none)).toBe('a/m1: no_shared_credential');
    expect(reasonFor({ hasCredits: false, maxAttempts: 0 })).toBe('a/m1: insufficient_credits');
    expect(reasonFor({ maxAttempts: 0 })).toBe('a/m1: attempt_cap');
  });
});
