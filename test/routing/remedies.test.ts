/** Every refusal of routing says in one sentence what to do: docs/routing.md#when-nothing-serves. */
import { describe, expect, it } from 'vitest';
import { refusal } from '../../src/routing/router/refusal.js';
import { EXCLUSION_REASONS, type ExclusionReason } from '../../src/routing/types.js';
import {
  endpoint,
  type InputOverrides,
  input,
  key,
  model,
  pricing,
  provider,
  shared,
  wholeChainOf,
} from './contexts.js';

const PAYMENT = { plan: 'pay_as_you_go', at: 0 } as const;
const PLACE = { workspaceName: 'Default', baseUrl: 'https://gw.test' };
const ADD = '(https://gw.test/#/provider-keys, or POST /byok)';

const NAMES = { openai: 'OpenAI', azure: 'Azure', mistral: 'Mistral' };
const providers = new Map(Object.entries(NAMES).map(([slug, name]) => [slug, provider(slug, { name })]));

const GPT = 'openai/gpt-4o-mini';
const at = (slug: string, members: Parameters<typeof endpoint>[1] = {}) =>
  endpoint(slug, { id: `${slug}/${GPT}`, modelId: GPT, ...members });
const BOTH = [at('azure'), at('openai')];

function refused(overrides: InputOverrides, endpoints = BOTH) {
  const given = input(endpoints, { providers, sharedProviders: shared(), ...overrides });
  const chain = wholeChainOf([model(endpoints, GPT)], given);
  expect(chain.attempts).toEqual([]);
  return refusal(chain, PAYMENT, PLACE);
}

const messageOf = (overrides: InputOverrides, endpoints = BOTH) => refused(overrides, endpoints).message;

const ALL = shared('openai', 'azure');

interface Case {
  readonly given: InputOverrides;
  readonly endpoints?: typeof BOTH;
  readonly message: string;
}

/** What excludes every candidate, and the whole sentence that the caller reads. */
const CASES: Partial<Record<ExclusionReason, Case>> = {
  no_shared_credential: {
    given: { keys: [key('M', 'mistral', { allowedModels: ['x'] })] },
    message: `No key for OpenAI or Azure is stored in workspace Default: add one ${ADD}`,
  },
  no_shared_capacity: {
    given: { sharedProviders: ALL, policy: { hasSharedCapacity: false } },
    message: `The account has no shared capacity (OpenAI or Azure): add a key for OpenAI or Azure ${ADD}, or ask the operator of this gateway for shared capacity`,
  },
  unpriced_mode: {
    given: { sharedProviders: ALL },
    endpoints: [at('openai', { isUnpriced: true })],
    message: `No price is known for the endpoint, so that it is used with own keys alone (OpenAI): add a key for OpenAI ${ADD}, or have the operator of this gateway give it a price`,
  },
  endpoint_disabled: {
    given: { sharedProviders: ALL },
    endpoints: [at('openai', { status: 'disabled' })],
    message:
      'The catalogue marks the endpoint as disabled (OpenAI): name another model, or have the operator of this gateway enable it',
  },
  data_policy_zdr: {
    given: { sharedProviders: ALL, preferences: { zdr: true } },
    endpoints: [at('openai', { dataPolicy: { zdr: false, dataCollection: false } })],
    message: `Zero data retention is demanded by provider.zdr of the request, which OpenAI does not promise for ${GPT}: name a model that complies (GET /models/user lists those that are allowed), leave provider.zdr out, or have the operator of this gateway record what the provider's contract says (data_policy in the catalogue)`,
  },
  data_policy_collection: {
    given: { sharedProviders: ALL, policy: { denyDataCollection: true } },
    endpoints: [at('openai', { dataPolicy: { zdr: false, dataCollection: true } })],
    message: `Data collection is denied by a guardrail or the preferences of the account; OpenAI may keep or train on prompts of ${GPT}: name a model that complies (GET /models/user lists those that are allowed), or have the operator of this gateway record what the provider's contract says (data_policy in the catalogue)`,
  },
  region: {
    given: { sharedProviders: ALL, policy: { region: 'eu' } },
    endpoints: [at('openai', { region: 'us' })],
    message:
      'The endpoint runs in us; the request must stay in eu (OpenAI): name another model, or send the request to the ordinary host of this gateway where it may leave the region',
  },
  guardrail_model: {
    given: { sharedProviders: ALL, policy: { guardrailIgnoredModels: [GPT] } },
    message: `A guardrail does not allow ${GPT}: name another model (GET /models/user lists those that are allowed), or ask an administrator of the account to allow it (allowed_models and ignored_models of the guardrail)`,
  },
  guardrail_provider: {
    given: { sharedProviders: ALL, policy: { guardrailIgnoredProviders: ['openai', 'azure'] } },
    message:
      'A guardrail does not allow OpenAI or Azure: name another model (GET /models/user lists those that are allowed), or ask an administrator of the account to allow a provider (allowed_providers and ignored_providers of the guardrail)',
  },
  preference_provider: {
    given: { sharedProviders: ALL, policy: { preferenceAllowedProviders: ['mistral'] } },
    message:
      "The account's provider preferences leave out OpenAI or Azure: name another model (GET /models/user lists those that are allowed), or ask an administrator of the account to change them (PATCH /preferences)",
  },
  request_only: {
    given: { sharedProviders: ALL, preferences: { only: ['opnai'] } },
    message:
      'The list provider.only does not contain azure or openai (no provider is called "opnai"; did you mean openai?): add one of them, or leave the list out',
  },
  request_ignore: {
    given: { sharedProviders: ALL, preferences: { ignore: ['openai', 'azure'] } },
    message: 'The list provider.ignore contains azure and openai: take one of them out',
  },
  not_in_order: {
    given: { sharedProviders: ALL, preferences: { order: ['mistral'], allowFallbacks: false } },
    message:
      'The list provider.order does not contain azure or openai, and provider.allow_fallbacks is false: add one of them to the order, or allow fallbacks',
  },
  max_price: {
    given: {
      sharedProviders: ALL,
      preferences: {
        maxPrice: { prompt: { digits: 1n, scale: 1 }, completion: null, request: null, image: null },
      },
    },
    endpoints: [at('openai', { pricing: pricing('0.000001') })],
    message:
      'The prompt price is 1 USD per million tokens, provider.max_price.prompt is 0.1 (OpenAI): raise provider.max_price, or name another model',
  },
  quantization: {
    given: { sharedProviders: ALL, preferences: { quantizations: ['fp8'] } },
    endpoints: [at('openai')],
    message:
      "The endpoint's quantization is unknown (OpenAI): add it to provider.quantizations, or leave that out",
  },
  unsupported_parameter: {
    given: { sharedProviders: ALL, usedParameters: ['seed'], preferences: { requireParameters: true } },
    endpoints: [at('openai')],
    message:
      'The endpoint does not support seed (OpenAI): leave it out of the request, or set provider.require_parameters to false, or name another model',
  },
  context_length: {
    given: { sharedProviders: ALL, maxTokens: 200_000 },
    endpoints: [{ ...at('openai'), maxCompletionTokens: 1000 }],
    message:
      '200000 completion tokens are requested; the endpoint allows 1000 (OpenAI): shorten the request or its maximum of tokens, or name a model with a longer context',
  },
  key_disabled: {
    given: { keys: [key('K', 'openai', { name: 'Mine', disabled: true })] },
    endpoints: [at('openai')],
    message: `The key "Mine" for OpenAI is disabled: enable it (PATCH /byok/{id}), or add another key ${ADD}`,
  },
  key_model_filter: {
    given: { keys: [key('K', 'openai', { name: 'Mine', allowedModels: ['m9'] })] },
    endpoints: [at('openai')],
    message: `The key "Mine" for OpenAI is not for ${GPT} (allowed_models): add the model to the filter (PATCH /byok/{id}), or add another key ${ADD}`,
  },
  key_api_key_filter: {
    given: { keys: ['K', 'L'].map((id) => key(id, 'openai', { allowedApiKeyHashes: ['other'] })) },
    endpoints: [at('openai')],
    message: `The 2 keys for OpenAI are not for this API key (allowed_api_key_hashes): add its hash to the filter (PATCH /byok/{id}), or add another key ${ADD}`,
  },
  key_member_filter: {
    given: { keys: [key('K', 'openai', { name: 'Mine', allowedUserIds: [] })] },
    endpoints: [at('openai')],
    message: `The key "Mine" for OpenAI is not for the member whom this API key belongs to (allowed_user_ids): add the member to the filter (PATCH /byok/{id}), or add another key ${ADD}`,
  },
  key_not_zdr: {
    given: { keys: [key('K', 'openai', { name: 'Mine', declaredZdr: false })], policy: { zdr: true } },
    endpoints: [at('openai')],
    message: `Zero data retention is demanded, and the key "Mine" for OpenAI is declared as not offering it (declared_zdr): clear that where the contract with the provider offers it (PATCH /byok/{id}), or add another key ${ADD}`,
  },
  key_no_endpoint: {
    given: { keys: [key('K', 'azure', { name: 'Mine' }, { servesModel: () => false })] },
    endpoints: [at('azure')],
    message: `The credential of the key "Mine" for Azure has no entry for ${GPT}: add a deployment of the model to it (PATCH /byok/{id} with key), or add another key ${ADD}`,
  },
  key_unusable: {
    given: { keys: [key('K', 'openai', { isRequired: true }, { usable: false })], sharedProviders: ALL },
    endpoints: [at('openai')],
    message: `The stored credential of the key "sk-...K" for OpenAI can't be opened or used: store it again (PATCH /byok/{id} with key), or add another key ${ADD}`,
  },
};

describe('a request that nothing can serve is told what to do in one sentence', () => {
  for (const [reason, { given, endpoints, message }] of Object.entries(CASES)) {
    it(reason, () => {
      const problem = refused(given, endpoints);
      expect(problem.message).toBe(message);
      expect(problem.reason).toBe('no_endpoint');
      expect(Object.keys(problem.metadata.reasons as object)).toContain(reason);
    });
  }

  it('whatever the reason: those without a sentence here never leave a request without attempts', () => {
    const alone = EXCLUSION_REASONS.filter((reason) => !(reason in CASES));
    expect(alone).toEqual([
      'always_use',
      'byok_only',
      'insufficient_credits',
      'fallbacks_not_allowed',
      'attempt_cap',
    ]);
  });
});

describe('where causes differ', () => {
  it('each has its sentence, that nearest to being served first', () => {
    expect(messageOf({ preferences: { ignore: ['azure'] } })).toBe(
      `No key for OpenAI is stored in workspace Default: add one ${ADD}. The list provider.ignore contains azure: take it out`,
    );
  });

  it('a key that is there is mended before another is asked for', () => {
    const keys = [key('K', 'openai', { name: 'Mine', disabled: true })];
    expect(messageOf({ keys })).toBe(
      `No key for Azure is stored in workspace Default: add one ${ADD}. The key "Mine" for OpenAI is disabled: enable it (PATCH /byok/{id}), or add another key ${ADD}`,
    );
  });

  it('a key that removes shared capacity and can’t be used is what is to be mended', () => {
    const keys = [key('K', 'openai', { name: 'Mine', isByokOnly: true, allowedModels: [] })];
    const message = messageOf({ keys, sharedProviders: ALL }, [at('openai')]);
    expect(message).toMatch(/^The key "Mine" for OpenAI is not for openai\/gpt-4o-mini \(allowed_models\): /);
    expect(message).not.toContain('byok_only');
  });

  it('of more than three kinds the rest is counted', () => {
    const endpoints = ['a', 'b', 'c', 'd'].map((slug) => at(slug));
    const message = messageOf(
      {
        providers: new Map(['a', 'b', 'c', 'd'].map((slug) => [slug, provider(slug)])),
        sharedProviders: shared('a', 'b', 'c'),
        policy: { guardrailIgnoredProviders: ['a'] },
        preferences: { ignore: ['b'], only: ['a', 'b', 'd'] },
      },
      endpoints,
    );
    expect(message.split('. ')).toHaveLength(4);
    expect(message).toMatch(/\. 1 more is counted in error\.metadata\.reasons$/);
  });

  it('of many providers five names at most are said', () => {
    const slugs = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
    const message = messageOf(
      { providers: new Map(slugs.map((slug) => [slug, provider(slug)])) },
      slugs.map((slug) => at(slug)),
    );
    expect(message).toMatch(/^No key for A, B, C, D or 3 others is stored in workspace Default: add one /);
  });

  it('names what the request names beside its model, and where', () => {
    const reach = () => ({
      models: [{ field: 'fallbacks[0].model', name: 'other/model', hosted: [] }],
      mentions: [],
      locations: [],
      owned: [],
      work: [],
      unpriced: [],
    });
    const message = messageOf({
      sharedProviders: ALL,
      policy: { guardrailAllowedModels: [[GPT]] },
      reach,
    });
    expect(message).toBe(
      'fallbacks[0].model names other/model: a guardrail does not allow that model: leave fallbacks[0].model out, or name another there',
    );
  });
});

describe('keys of providers that have no endpoint of the model', () => {
  const keys = [
    key('M', 'mistral', { allowedModels: ['x'] }),
    key('N', 'mistral', { disabled: true }),
    key('S', 'mistral', { allowedApiKeyHashes: ['other'] }),
    key('W', 'mistral', { workspaceId: 'another' }),
    key('A', 'azure', {}, { servesModel: () => false }),
  ];

  it('are in unrelated_keys, not among the reasons; a credential without the model at a provider that has it is key_no_endpoint', () => {
    expect(refused({ keys }).metadata).toEqual({
      reasons: { no_shared_credential: 2, key_no_endpoint: 1 },
      unrelated_keys: 3,
    });
  });

  it('a credential that could not be sorted is none of them, where any of several models is at its provider', () => {
    const other = model([endpoint('mistral', { id: 'mistral/m2', modelId: 'm2' })], 'm2');
    const given = input([...BOTH, ...other.endpoints], { providers, sharedProviders: shared(), keys });
    const chain = wholeChainOf([model(BOTH, GPT), other], given);
    const { metadata } = refusal(chain, PAYMENT, PLACE);
    expect(metadata).toMatchObject({ unrelated_keys: 0 });
  });
});
