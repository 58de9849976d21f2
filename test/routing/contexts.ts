/** Builders for the inputs of a plan; every member has a harmless default. */

import { runToEnd } from '../../src/base/time-slices.js';
import { KeyIndex } from '../../src/byok/cache/key-index.js';
import type { ByokKey } from '../../src/byok/types.js';
import type { ContractsOfAdapters, HostContracts } from '../../src/catalog/contracts.js';
import type { Endpoint, Model, Pricing, Provider } from '../../src/catalog/types.js';
import { UNFILTERED, type Visibility } from '../../src/catalog/visibility.js';
import { RequestModes } from '../../src/formats/modes/request-modes.js';
import { NOTHING_REACHED } from '../../src/formats/shared-capacity/reach.js';
import { NO_USES } from '../../src/formats/shared-capacity/uses.js';
import type { candidatesOf } from '../../src/routing/plan/candidates.js';
import { FULL_COVERAGE } from '../../src/routing/plan/model-context.js';
import { planFallbackChain, type WholeChain, wholeChain } from '../../src/routing/plan/plan.js';
import { noPreferences } from '../../src/routing/plan/preferences.js';
import type { Attempt, PlanInput, RoutableKey, WholePlan } from '../../src/routing/types.js';

export function provider(slug: string, members: Partial<Provider> = {}): Provider {
  return {
    slug,
    name: slug.toUpperCase(),
    adapter: 'openai',
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
    ...members,
  };
}

/** Prices in USD per token. */
export function pricing(prompt = '0.000001', completion = '0', members: Partial<Pricing> = {}): Pricing {
  return { prices: { prompt, completion }, discount: null, overrides: [], ...members };
}

export function endpoint(providerSlug: string, members: Partial<Endpoint> = {}): Endpoint {
  return {
    id: `${providerSlug}/m1${members.region ? `@${members.region}` : ''}`,
    provider: providerSlug,
    modelId: 'm1',
    upstreamModelId: 'm1-upstream',
    region: null,
    pricing: pricing(),
    contextLength: 100_000,
    maxCompletionTokens: null,
    isModerated: false,
    quantization: null,
    supportedParameters: ['temperature', 'max_tokens'],
    dataPolicy: { zdr: true, dataCollection: false },
    status: 'active',
    formats: ['chat'],
    quirks: {},
    ...members,
  };
}

export function model(endpoints: readonly Endpoint[], id = 'm1'): Model {
  return {
    id,
    canonicalSlug: id,
    name: id,
    created: 0,
    description: null,
    contextLength: null,
    expirationDate: null,
    knowledgeCutoff: null,
    hubModelId: null,
    architecture: {
      modality: null,
      inputModalities: ['text'],
      outputModalities: ['text'],
      instructType: undefined,
      tokenizer: undefined,
    },
    pricing: null,
    supportedParameters: [],
    supportedVoices: null,
    defaultParameters: null,
    perRequestLimits: null,
    benchmarks: null,
    reasoning: null,
    aliasTarget: null,
    endpoints,
  };
}

/** A key whose credential opens and covers all regions and models. */
export function key(
  id: string,
  providerSlug: string,
  members: Partial<ByokKey> = {},
  routable: Partial<Omit<RoutableKey, 'key'>> = {},
): RoutableKey {
  return {
    key: {
      id,
      accountId: 'account',
      workspaceId: 'workspace',
      provider: providerSlug,
      label: `sk-...${id.slice(-3)}`,
      name: null,
      disabled: false,
      isFallback: false,
      isRequired: false,
      isByokOnly: false,
      declaredZdr: null,
      allowedModels: null,
      allowedApiKeyHashes: null,
      allowedUserIds: null,
      workspaceIds: null,
      sortOrder: 0,
      createdAt: 0,
      updatedAt: 0,
      ...members,
    },
    usable: true,
    ...FULL_COVERAGE,
    ...routable,
  };
}

/** Shared credentials for the providers, which cover all regions and models. */
export function shared(...slugs: readonly string[]): PlanInput['sharedProviders'] {
  return new Map(slugs.map((slug) => [slug, FULL_COVERAGE]));
}

const TAKES_ALL: HostContracts = {
  chat: null,
  messages: null,
  responses: null,
  completions: null,
  embeddings: null,
  rerank: null,
};

/** Hosts that take whatever they are sent. */
export const NO_CONTRACTS: ContractsOfAdapters = {
  openai: TAKES_ALL,
  anthropic: TAKES_ALL,
  azure: TAKES_ALL,
  'amazon-bedrock': TAKES_ALL,
  'google-vertex': TAKES_ALL,
  demo: TAKES_ALL,
};

/** What a test overrides of a plan's input: policy and preferences member by member. */
export type InputOverrides = Partial<Omit<PlanInput, 'keys' | 'policy' | 'preferences'>> & {
  readonly keys?: readonly RoutableKey[];
  readonly policy?: Partial<Visibility>;
  readonly preferences?: Partial<PlanInput['preferences']>;
};

/** An input for the endpoints; their providers exist and have shared credentials, and there are credits. */
export function input(endpoints: readonly Endpoint[], overrides: InputOverrides = {}): PlanInput {
  const slugs = [
    ...new Set([
      ...endpoints.map((one) => one.provider),
      ...(overrides.keys ?? []).map((k) => k.key.provider),
    ]),
  ];
  return {
    model: model(endpoints),
    providers: new Map(slugs.map((slug) => [slug, provider(slug)])),
    caller: { apiKeyHash: 'hash', userId: 'user', workspaceId: 'workspace' },
    usedParameters: [],
    native: null,
    reach: () => NOTHING_REACHED,
    uses: NO_USES,
    contracts: NO_CONTRACTS,
    cost: null,
    modes: new RequestModes({}),
    promptTokens: null,
    maxTokens: null,
    sharedProviders: shared(...slugs),
    hasCredits: true,
    hasByokAllowance: true,
    session: null,
    resolveModelId: (name) => name,
    statistics: () => undefined,
    health: () => ({ state: 'ok' }),
    maxAttempts: 32,
    isBilled: true,
    ...overrides,
    keys: new KeyIndex(overrides.keys),
    policy: { ...UNFILTERED, ...overrides.policy },
    preferences: { ...noPreferences, ...overrides.preferences },
  };
}

/** The plans of the models, with the exclusions of all keys. */
export function wholeChainOf(
  models: readonly Model[],
  given: Omit<PlanInput, 'model'>,
  find?: typeof candidatesOf,
): WholeChain {
  return runToEnd(wholeChain(planFallbackChain(models, given, find)));
}

/** All keys of an input, by provider and id. */
export function keysOf({ keys }: Pick<PlanInput, 'keys'>): readonly RoutableKey[] {
  return keys.providers.toSorted().flatMap((slug) => keys.ofProvider(slug));
}

/** The key's id, or the provider and `shared`. */
function nameOf(attempt: Attempt): string {
  return attempt.key?.id ?? `${attempt.provider.slug} shared`;
}

/** The attempts of a plan, by name. */
export function route({ attempts }: WholePlan): string[] {
  return attempts.map(nameOf);
}

/** The exclusions of a plan as `endpoint + key: reason`. */
export function exclusions({ excluded }: WholePlan): string[] {
  return excluded.map(
    ({ endpointId, byokKeyId, reason }) =>
      `${[endpointId, byokKeyId].filter((id) => id !== null).join(' + ')}: ${reason}`,
  );
}
