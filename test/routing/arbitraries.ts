/** Arbitrary inputs of plans: a few endpoints and keys, policies, preferences and health. */
import fc from 'fast-check';
import type { Endpoint } from '../../src/catalog/types.js';
import type { PlanInput } from '../../src/routing/types.js';
import { endpoint, input, key, pricing, provider, shared } from './contexts.js';

const SLUGS = ['a', 'b', 'c', 'd'] as const;
const REGIONS = [null, 'eu', 'eu-west-1', 'europe-west4', 'us-east-1'] as const;

const oneOf = <T>(...values: T[]) => fc.constantFrom(...values);
const slugs = fc.uniqueArray(fc.constantFrom<string>(...SLUGS, 'nowhere'), { maxLength: 4 });
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null, freq: 2 });
const rarely = fc.integer({ min: 0, max: 5 }).map((n) => n === 0);
const price = oneOf('0', '0.0000001', '0.000001', '0.000002', '0.0000025');

const someEndpoint = fc.record({
  slug: fc.constantFrom(...SLUGS),
  region: fc.constantFrom(...REGIONS),
  prompt: price,
  completion: price,
  discount: oneOf(null, 0, 0.1, 1),
  zdr: fc.boolean(),
  dataCollection: fc.boolean(),
  status: oneOf<Endpoint['status']>('active', 'active', 'active', 'degraded', 'disabled'),
  contextLength: oneOf(null, 1000, 100_000),
  quantization: oneOf(null, 'fp8'),
  tools: fc.boolean(),
});

const endpoints = fc.array(someEndpoint, { maxLength: 8 }).map((list) =>
  list.map((one, index) =>
    endpoint(one.slug, {
      id: `${one.slug}/m1#${index}`,
      region: one.region,
      pricing: pricing(one.prompt, one.completion, { discount: one.discount }),
      dataPolicy: { zdr: one.zdr, dataCollection: one.dataCollection },
      status: one.status,
      contextLength: one.contextLength,
      quantization: one.quantization,
      supportedParameters: one.tools ? ['tools'] : [],
    }),
  ),
);

const someKey = fc.record({
  slug: fc.constantFrom(...SLUGS, 'elsewhere'),
  disabled: rarely,
  isFallback: fc.boolean(),
  toggle: oneOf('none', 'none', 'required', 'only'),
  declaredZdr: oneOf<false | null>(null, null, false),
  allowedModels: maybe(oneOf([], ['m1'], ['alias'], ['m2'])),
  allowedApiKeyHashes: maybe(oneOf(['hash'], ['other'])),
  allowedUserIds: maybe(oneOf([], ['user'])),
  sortOrder: fc.nat(3),
  usable: fc.boolean(),
  region: oneOf<string | null | undefined>(undefined, undefined, null, 'eu', 'us'),
  isForModel: rarely.map((one) => !one),
});

const keys = fc.array(someKey, { maxLength: 6 }).map((list) =>
  list.map((one, index) =>
    key(
      `K${index}`,
      one.slug,
      {
        disabled: one.disabled,
        isFallback: one.isFallback && one.toggle === 'none',
        isRequired: one.toggle === 'required',
        isByokOnly: one.toggle === 'only',
        declaredZdr: one.declaredZdr,
        allowedModels: one.allowedModels,
        allowedApiKeyHashes: one.allowedApiKeyHashes,
        allowedUserIds: one.allowedUserIds,
        sortOrder: one.sortOrder,
      },
      {
        usable: one.usable,
        ...(one.isForModel ? {} : { servesModel: () => false }),
        ...(one.region === undefined
          ? {}
          : { regionsFor: () => (one.region === null ? [] : [one.region ?? '']) }),
      },
    ),
  ),
);

const policy = fc.record({
  zdr: rarely,
  denyDataCollection: rarely,
  region: oneOf('global', 'global', 'global', 'eu', 'us'),
  guardrailAllowedModels: oneOf<string[][]>([], [], [['m1', 'm2']], [['m2']]),
  guardrailAllowedProviders: oneOf<string[][]>([], [], [['a', 'b', 'c']]),
  guardrailIgnoredProviders: oneOf<string[]>([], [], ['b']),
  preferenceIgnoredProviders: oneOf<string[]>([], [], ['c']),
});

const preferences = fc.record({
  order: maybe(slugs),
  only: fc.option(slugs, { nil: null, freq: 1 }),
  ignore: fc.option(slugs, { nil: null, freq: 1 }),
  allowFallbacks: rarely.map((one) => !one),
  requireParameters: rarely,
  zdr: rarely,
  dataCollection: oneOf<'allow' | 'deny' | null>(null, null, 'allow', 'deny'),
  quantizations: oneOf<string[] | null>(null, null, ['fp8']),
  sort: oneOf<'price' | 'throughput' | 'latency' | null>(null, 'price', 'throughput', 'latency'),
});

/** Everything that a plan is computed from. */
export const planInput: fc.Arbitrary<PlanInput> = fc
  .record({
    endpoints,
    keys,
    policy,
    preferences,
    sharedProviders: fc.uniqueArray(fc.constantFrom<string>(...SLUGS), { minLength: 2 }),
    hasCredits: rarely.map((one) => !one),
    hasByokAllowance: fc.boolean(),
    promptTokens: oneOf(null, 10, 5000),
    maxAttempts: oneOf(32, 32, 0, 1, 3),
    cooling: fc.uniqueArray(fc.nat(60)),
    statistics: fc.array(fc.record({ tokensPerSecond: maybe(fc.nat(3)), latencyMs: maybe(fc.nat(3)) })),
    providerRegions: oneOf<string[]>([], ['eu'], ['eu', 'us']),
  })
  .map((drawn) => {
    const ids = drawn.endpoints.flatMap(({ id }) => [id, ...drawn.keys.map(({ key: { id: k } }) => id + k)]);
    return input(drawn.endpoints, {
      ...drawn,
      providers: new Map(SLUGS.map((slug) => [slug, provider(slug, { regions: drawn.providerRegions })])),
      sharedProviders: shared(...drawn.sharedProviders),
      usedParameters: ['tools'],
      resolveModelId: (name) => (name === 'alias' ? 'm1' : name),
      statistics: (id) => drawn.statistics[drawn.endpoints.findIndex((one) => one.id === id)],
      health: (endpointId, byokKeyId) =>
        drawn.cooling.includes(ids.indexOf(endpointId + (byokKeyId ?? '')))
          ? { state: 'cooling', until: 5 }
          : { state: 'ok' },
    });
  });
