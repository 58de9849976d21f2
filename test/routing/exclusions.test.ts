import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { parseDecimal } from '../../src/base/money.js';
import type { Credential } from '../../src/byok/credential.js';
import type { Endpoint } from '../../src/catalog/types.js';
import { regionsCalledWith } from '../../src/routing/called-regions.js';
import { plan } from '../../src/routing/plan.js';
import { EXCLUSION_REASONS, type ExclusionReason } from '../../src/routing/types.js';
import {
  endpoint,
  exclusions,
  input,
  key,
  pricing,
  provider,
  route,
  type Stated,
  shared,
} from './situations.js';

interface Case {
  readonly promise: string;
  readonly endpoint?: Partial<Endpoint>;
  readonly stated: Stated;
}

const usd = (text: string) => parseDecimal(text) ?? null;
const bounds = { prompt: null, completion: null, request: null, image: null };
const keys = [key('K', 'a')];

/** For each reason a situation in which it is the only one that holds for the one endpoint, or for the one key. */
const SHARED_CASES: Partial<Record<ExclusionReason, Case>> = {
  endpoint_disabled: { promise: 'a disabled endpoint', endpoint: { status: 'disabled' }, stated: {} },
  data_policy_zdr: {
    promise: 'an endpoint without zero data retention, when the account demands it',
    endpoint: { dataPolicy: { zdr: false, dataCollection: false } },
    stated: { policy: { zdr: true } },
  },
  data_policy_collection: {
    promise: 'an endpoint that collects, when a guardrail denies it',
    endpoint: { dataPolicy: { zdr: true, dataCollection: true } },
    stated: { policy: { denyDataCollection: true } },
  },
  region: {
    promise: "an endpoint outside the host's region",
    endpoint: { region: 'us-east1' },
    stated: { policy: { region: 'eu' } },
  },
  guardrail_model: {
    promise: 'a model that one of several guardrails does not allow',
    stated: { policy: { guardrailAllowedModels: [['m1'], ['m2']] } },
  },
  guardrail_provider: {
    promise: 'a provider that one of several guardrails does not allow',
    stated: { policy: { guardrailAllowedProviders: [['a'], ['b']] } },
  },
  preference_provider: {
    promise: "a provider that the account's preferences ignore",
    stated: { policy: { preferenceIgnoredProviders: ['a'] } },
  },
  request_only: { promise: 'a provider not in only', stated: { preferences: { only: ['b'] } } },
  request_ignore: { promise: 'a provider in ignore', stated: { preferences: { ignore: ['a'] } } },
  not_in_order: {
    promise: 'a provider not in order, without fallbacks',
    stated: { preferences: { order: ['b'], allowFallbacks: false } },
  },
  max_price: {
    promise: 'an endpoint dearer than max_price',
    endpoint: { pricing: pricing('0.000002') },
    stated: { preferences: { maxPrice: { ...bounds, prompt: usd('1.99') } } },
  },
  quantization: {
    promise: 'an endpoint of another quantization',
    endpoint: { quantization: 'fp4' },
    stated: { preferences: { quantizations: ['fp8', 'bf16'] } },
  },
  unsupported_parameter: {
    promise: 'an endpoint that lacks a used parameter, with require_parameters',
    stated: { usedParameters: ['tools'], preferences: { requireParameters: true } },
  },
  context_length: {
    promise: 'an endpoint whose context is too short',
    stated: { promptTokens: 60_000, maxTokens: 40_001 },
  },
  always_use: {
    promise: 'shared capacity where a key is always used',
    stated: { keys: [key('K', 'a', { isRequired: true })] },
  },
  byok_only: {
    promise: 'shared capacity where only keys may be used',
    stated: { keys: [key('K', 'a', { isByokOnly: true })] },
  },
  no_shared_credential: {
    promise: 'shared capacity without a shared credential',
    stated: { sharedProviders: shared() },
  },
  insufficient_credits: { promise: 'shared capacity without credits', stated: { hasCredits: false } },
  fallbacks_not_allowed: {
    promise: 'what is not the first attempt, without fallbacks and without order',
    stated: { keys, preferences: { allowFallbacks: false } },
  },
  attempt_cap: { promise: 'what is beyond the bound on attempts', stated: { keys, maxAttempts: 1 } },
};

const KEY_CASES: Partial<Record<ExclusionReason, Case>> = {
  key_disabled: { promise: 'a disabled key', stated: { keys: [key('K', 'a', { disabled: true })] } },
  key_model_filter: {
    promise: 'a key whose model filter does not match',
    stated: { keys: [key('K', 'a', { allowedModels: [] })] },
  },
  key_api_key_filter: {
    promise: 'a key whose API-key filter does not match',
    stated: { keys: [key('K', 'a', { allowedApiKeyHashes: ['other'] })] },
  },
  key_member_filter: {
    promise: 'a key whose member filter does not match',
    stated: { keys: [key('K', 'a', { allowedUserIds: ['other'] })] },
  },
  key_not_zdr: {
    promise: 'a key declared without zero data retention, when the request demands it',
    stated: { keys: [key('K', 'a', { declaredZdr: false })], preferences: { zdr: true } },
  },
  key_unusable: {
    promise: 'a key whose credential cannot be opened',
    stated: { keys: [key('K', 'a', {}, { usable: false })] },
  },
};

describe('interface section 6: each exclusion has its named reason', () => {
  it.each(Object.entries(SHARED_CASES))('%s', (reason, { promise, endpoint: members, stated }) => {
    const planned = plan(input([endpoint('a', members)], stated));
    const exclusion = planned.excluded.find((one) => one.byokKeyId === null);
    expect(exclusion, promise).toMatchObject({ provider: 'a', reason });
    expect(exclusion?.detail).toMatch(/^[A-Z].*\.$/);
  });

  it.each(Object.entries(KEY_CASES))('%s', (reason, { promise, endpoint: members, stated }) => {
    const planned = plan(input([endpoint('a', members)], stated));
    expect(route(planned), promise).toEqual(['a shared']);
    expect(planned.excluded).toMatchObject([{ provider: 'a', byokKeyId: 'K', reason }]);
    expect(planned.excluded[0]?.detail).toMatch(/^[A-Z].*\.$/);
  });

  it('key_no_endpoint: a key whose provider has no endpoint for the model, once and without endpoint', () => {
    const planned = plan(input([endpoint('a')], { keys: [key('K', 'b')] }));
    expect(planned.excluded).toMatchObject([
      { provider: 'b', endpointId: null, byokKeyId: 'K', reason: 'key_no_endpoint' },
    ]);
  });

  it('has a case for every reason', () => {
    const tested = [...Object.keys(SHARED_CASES), ...Object.keys(KEY_CASES), 'key_no_endpoint'];
    expect(tested.toSorted()).toEqual(EXCLUSION_REASONS.toSorted());
  });
});

describe('interface section 6: when several hold, the first in the order of evaluation', () => {
  /** Everything that can be wrong with one endpoint, in the order of evaluation, each with its remedy. */
  const faults: readonly [ExclusionReason, Partial<Endpoint>, Stated][] = [
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
  const worst: Partial<Endpoint> = {
    id: 'e',
    status: 'disabled',
    dataPolicy: { zdr: false, dataCollection: true },
    region: 'us-east1',
  };
  const worstStated = {
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
      maxPrice: { ...bounds, prompt: usd('0') },
      quantizations: ['fp8'],
      requireParameters: true,
    },
  };

  it('from endpoint state to context length, for shared capacity and keys alike', () => {
    let members = worst;
    let stated: Stated = worstStated;
    for (const [reason, remedy, change] of faults) {
      const planned = plan(input([endpoint('a', members)], stated));
      expect(exclusions(planned)).toEqual([`e: ${reason}`, `e + K: ${reason}`]);
      members = { ...members, ...remedy };
      stated = {
        ...stated,
        ...change,
        policy: { ...stated.policy, ...change.policy },
        preferences: { ...stated.preferences, ...change.preferences },
      };
    }
    const planned = plan(input([endpoint('a', members)], stated));
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
      const elsewhere = [key('K', 'b', members, { usable: false })];
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
    const reasonFor = (stated: Stated) => exclusions(plan(input([endpoint('a')], stated)))[0];
    expect(reasonFor({ ...none, keys: [key('K', 'a', { isRequired: true, isByokOnly: true })] })).toBe(
      'a/m1: always_use',
    );
    expect(reasonFor({ ...none, keys: [key('K', 'a', { isByokOnly: true })] })).toBe('a/m1: byok_only');
    expect(reasonFor(none)).toBe('a/m1: no_shared_credential');
    expect(reasonFor({ hasCredits: false, maxAttempts: 0 })).toBe('a/m1: insufficient_credits');
    expect(reasonFor({ maxAttempts: 0 })).toBe('a/m1: attempt_cap');
  });
});

describe('spec 4.5.7: data policies', () => {
  const keeps = endpoint('a', { dataPolicy: { zdr: false, dataCollection: true } });

  it.each([
    ['provider.zdr', { preferences: { zdr: true } }, 'data_policy_zdr'],
    ['provider.data_collection: deny', { preferences: { dataCollection: 'deny' } }, 'data_policy_collection'],
    ['the account or a guardrail (zdr)', { policy: { zdr: true } }, 'data_policy_zdr'],
    [
      'the account or a guardrail (collection)',
      { policy: { denyDataCollection: true } },
      'data_policy_collection',
    ],
  ] as const)('a key does not exempt from %s', (_, stated, reason) => {
    const planned = plan(input([keeps], { ...stated, keys }));
    expect(exclusions(planned)).toEqual([`a/m1: ${reason}`, `a/m1 + K: ${reason}`]);
  });

  it('data_collection: allow of a request does not lift what the account denies', () => {
    const planned = plan(
      input([keeps], { policy: { denyDataCollection: true }, preferences: { dataCollection: 'allow' } }),
    );
    expect(planned.attempts).toEqual([]);
  });
});

describe('interface section 4: regions', () => {
  const within = (region: string, endpointRegion: string | null, providerRegions: string[] = []) => {
    const providers = new Map([['a', provider('a', { regions: providerRegions })]]);
    const e = endpoint('a', { region: endpointRegion });
    return plan(input([e], { providers, policy: { region } })).attempts.length === 1;
  };

  it.each(['eu', 'eu-west-1', 'europe-west4'])('eu covers %s', (region) => {
    expect(within('eu', region)).toBe(true);
  });

  it.each(['us', 'us-east-1'])('us covers %s', (region) => {
    expect(within('us', region)).toBe(true);
  });

  it.each(['us-east-1', 'europa', 'euro', 'eux-1', 'global'])('eu does not cover %s', (region) => {
    expect(within('eu', region)).toBe(false);
  });

  it("an endpoint without a region takes its provider's; without those it satisfies no region", () => {
    expect(within('eu', null, ['eu'])).toBe(true);
    expect(within('eu', null, ['eu', 'europe-west4'])).toBe(true);
    expect(within('eu', null, ['eu', 'us'])).toBe(false);
    expect(within('eu', 'us', ['eu'])).toBe(false);
    expect(within('eu', null)).toBe(false);
    expect(within('global', null)).toBe(true);
  });

  it('with BYOK the region that is really called must satisfy', () => {
    const e = endpoint('a', { region: 'eu-west-1' });
    const abroad = key('abroad', 'a', {}, { regionsFor: () => ['us-east-1'] });
    const anywhere = key('anywhere', 'a', {}, { regionsFor: () => [] });
    const planned = plan(input([e], { keys: [abroad, anywhere], policy: { region: 'eu' } }));
    expect(route(planned)).toEqual(['a shared']);
    expect(exclusions(planned)).toEqual([
      'a/m1@eu-west-1 + abroad: region',
      'a/m1@eu-west-1 + anywhere: region',
    ]);
  });
});

describe('interface section 7: the region that a credential calls', () => {
  const vertex = (region: string | null): Credential => ({
    adapter: 'google-vertex',
    projectId: 'project',
    clientEmail: 'a@b.c',
    privateKeyId: '1',
    privateKey: generateKeyPairSync('ed25519').privateKey,
    tokenUri: 'https://oauth2.googleapis.com/token',
    region,
    bucket: null,
  });
  const bedrock: Credential = { adapter: 'amazon-bedrock', kind: 'api_key', apiKey: 'k', region: null };
  const openAi: Credential = { adapter: 'openai', apiKey: 'k' };
  const called = (credential: Credential, region: string | null, regions: string[] = []) =>
    regionsCalledWith(credential)(endpoint('a', { region }), provider('a', { regions }));

  it('of a service account is its own, else global, whatever the endpoint says', () => {
    expect(called(vertex(null), 'europe-west4', ['eu'])).toEqual([]);
    expect(called(vertex('global'), 'europe-west4')).toEqual([]);
    expect(called(vertex('us-central1'), 'europe-west4')).toEqual(['us-central1']);
  });

  it("of a bare Bedrock key is the endpoint's, else us-east-1", () => {
    expect(called(bedrock, 'eu-west-1')).toEqual(['eu-west-1']);
    expect(called(bedrock, null)).toEqual(['us-east-1']);
  });

  it("of a key that knows no regions is the endpoint's, else its provider's", () => {
    expect(called(openAi, 'eu-west-1', ['us'])).toEqual(['eu-west-1']);
    expect(called(openAi, null, ['us', 'eu'])).toEqual(['us', 'eu']);
    expect(called(openAi, 'global', ['us'])).toEqual([]);
  });

  it('counts for shared credentials too', () => {
    const e = endpoint('a', { region: 'europe-west4' });
    const sharedProviders = new Map([['a', regionsCalledWith(vertex(null))]]);
    const planned = plan(input([e], { sharedProviders, policy: { region: 'eu' } }));
    expect(exclusions(planned)).toEqual(['a/m1@europe-west4: region']);
  });
});

describe('interface section 6: preferences of the request', () => {
  const [a, b] = [endpoint('a'), endpoint('b')];

  it('names that exist nowhere are listed once and match nothing', () => {
    const planned = plan(input([a], { preferences: { order: ['x', 'a'], only: ['y', 'x'], ignore: ['z'] } }));
    expect(planned.unknownProviders).toEqual(['x', 'y', 'z']);
    expect(exclusions(planned)).toEqual(['a/m1: request_only']);
  });

  it('allow_fallbacks: false with order leaves endpoints and keys of the named providers', () => {
    const own = [key('A key', 'a'), key('B key', 'b')];
    const planned = plan(input([a, b], { keys: own, preferences: { order: ['b'], allowFallbacks: false } }));
    expect(route(planned)).toEqual(['B key', 'b shared']);
    expect(exclusions(planned)).toEqual(['a/m1: not_in_order', 'a/m1 + A key: not_in_order']);
  });

  it('allow_fallbacks: false without order, or with an empty one, leaves the first attempt only', () => {
    for (const order of [null, []]) {
      const planned = plan(input([a, b], { keys, preferences: { order, allowFallbacks: false } }));
      expect(route(planned)).toEqual(['K']);
      expect(exclusions(planned)).toEqual(['a/m1: fallbacks_not_allowed', 'b/m1: fallbacks_not_allowed']);
    }
  });

  it('max_price is inclusive, applies after discount, and to keys too', () => {
    const e = endpoint('a', { pricing: pricing('0.000002', '0.00001', { discount: 0.5 }) });
    const bounded = (prompt: string, completion: string) =>
      route(
        plan(
          input([e], {
            keys,
            preferences: { maxPrice: { ...bounds, prompt: usd(prompt), completion: usd(completion) } },
          }),
        ),
      );
    expect(bounded('1', '5')).toEqual(['K', 'a shared']);
    expect(bounded('0.999999999999', '5')).toEqual([]);
    expect(bounded('1', '4.9999')).toEqual([]);
  });

  it('max_price for requests and images passes an endpoint without such a price', () => {
    const priced = endpoint('b', {
      pricing: { ...pricing(), prices: { prompt: '0', completion: '0', request: '0.01', image: '0.02' } },
    });
    const bounded = (members: object) =>
      route(plan(input([a, priced], { preferences: { maxPrice: { ...bounds, ...members } } })));
    expect(bounded({ request: usd('0.01'), image: usd('0.02') })).toEqual(['b shared', 'a shared']);
    expect(bounded({ request: usd('0.009') })).toEqual(['a shared']);
    expect(bounded({ image: usd('0.019') })).toEqual(['a shared']);
  });

  it('an endpoint without a known quantization is called unknown', () => {
    const allowing = (quantizations: string[]) => route(plan(input([a], { preferences: { quantizations } })));
    expect(allowing(['unknown'])).toEqual(['a shared']);
    expect(allowing(['fp8'])).toEqual([]);
  });

  it('parameters matter with require_parameters only, in any spelling', () => {
    const using = (usedParameters: string[], requireParameters: boolean) =>
      route(plan(input([a], { usedParameters, preferences: { requireParameters } })));
    expect(using(['tools'], false)).toEqual(['a shared']);
    expect(using(['tools'], true)).toEqual([]);
    expect(using(['max_completion_tokens', 'temperature'], true)).toEqual(['a shared']);
  });

  it('a request fits when prompt and answer together fit the context, and the answer its bound', () => {
    const short = endpoint('a', { contextLength: 1000, maxCompletionTokens: 400 });
    const fits = (promptTokens: number | null, maxTokens: number | null) =>
      plan(input([short], { promptTokens, maxTokens })).attempts.length === 1;
    expect(fits(null, null)).toBe(true);
    expect(fits(600, 400)).toBe(true);
    expect(fits(601, 400)).toBe(false);
    expect(fits(10, 401)).toBe(false);
    expect(fits(1001, null)).toBe(false);
    const unbounded = endpoint('a', { contextLength: null });
    expect(plan(input([unbounded], { promptTokens: 1e9, maxTokens: 1e9 })).attempts).toHaveLength(1);
  });
});

describe('interface section 5: credits', () => {
  const free = endpoint('free', { pricing: pricing('0', '0.0') });
  const gratis = endpoint('gratis', { pricing: pricing('1', '1', { discount: 1 }) });
  const later = endpoint('later', {
    pricing: pricing('0', '0', {
      overrides: [
        { prices: { prompt: '1' }, minPromptTokens: 5, utcStart: null, utcEnd: null, utcDays: null },
      ],
    }),
  });

  it('endpoints whose prices are all 0 need no credits', () => {
    const planned = plan(input([free, gratis, later, endpoint('a')], { hasCredits: false }));
    expect(route(planned)).toEqual(['free shared', 'gratis shared']);
    expect(exclusions(planned)).toEqual(['a/m1: insufficient_credits', 'later/m1: insufficient_credits']);
  });

  it('without credits BYOK endpoints stay usable while the free allowance lasts', () => {
    const without = (hasByokAllowance: boolean) =>
      plan(input([endpoint('a')], { keys, hasCredits: false, hasByokAllowance }));
    expect(route(without(true))).toEqual(['K']);
    expect(exclusions(without(false))).toEqual([
      'a/m1: insufficient_credits',
      'a/m1 + K: insufficient_credits',
    ]);
  });
});
