import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Endpoint } from '../../src/catalog/types.js';
import { planChain } from '../../src/routing/chain.js';
import { explain } from '../../src/routing/explain.js';
import { plan } from '../../src/routing/plan.js';
import type { Attempt, Plan, PlanInput, RoutableKey } from '../../src/routing/types.js';
import { endpoint, input, key, model, pricing, provider, shared } from './situations.js';

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
        servesModel: () => one.isForModel,
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

const planInput: fc.Arbitrary<PlanInput> = fc
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
    figures: fc.array(fc.record({ tokensPerSecond: maybe(fc.nat(3)), latencyMs: maybe(fc.nat(3)) })),
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
      figures: (id) => drawn.figures[drawn.endpoints.findIndex((one) => one.id === id)],
      standing: (endpointId, byokKeyId) =>
        drawn.cooling.includes(ids.indexOf(endpointId + (byokKeyId ?? '')))
          ? { state: 'cooling', until: 5 }
          : { state: 'ok' },
    });
  });

const holds = (predicate: (given: PlanInput, planned: Plan) => void) =>
  fc.assert(
    fc.property(planInput, (given) => predicate(given, plan(given))),
    { numRuns: 1000 },
  );

const wayOf = (endpointId: string | null, byokKeyId: string | null) => `${endpointId} with ${byokKeyId}`;
const wayOfAttempt = ({ endpoint: { id }, key: used }: Attempt) => wayOf(id, used?.id ?? null);

describe('every plan (spec 4.5, interface section 6)', () => {
  it('accounts for every endpoint and every pair of key and endpoint exactly once', () => {
    holds((given, planned) => {
      const all = given.model.endpoints;
      const expected = [
        ...all.map(({ id }) => wayOf(id, null)),
        ...given.keys.flatMap(({ key: one, servesModel }) => {
          const own = all.filter(({ provider: slug }) => slug === one.provider && servesModel('m1'));
          return own.length === 0 ? [wayOf(null, one.id)] : own.map(({ id }) => wayOf(id, one.id));
        }),
      ];
      const listed = [
        ...planned.attempts.map(wayOfAttempt),
        ...planned.excluded.map(({ endpointId, byokKeyId }) => wayOf(endpointId, byokKeyId)),
      ];
      expect(listed.toSorted()).toEqual(expected.toSorted());
    });
  });

  it('tries Prioritized keys before shared capacity before Fallback keys, and what is cooling last', () => {
    holds((_, { attempts }) => {
      const sections = ['prioritized', 'shared', 'fallback'];
      const ranks = attempts.map(
        ({ section, standing }) => sections.indexOf(section) + (standing.state === 'cooling' ? 10 : 0),
      );
      expect(ranks).toEqual(ranks.toSorted((x, y) => x - y));
    });
  });

  it('tries no endpoint that breaks a data policy, and stays within the region', () => {
    holds(({ policy: demanded, preferences: asked }, { attempts }) => {
      for (const { endpoint: tried, region } of attempts) {
        if (demanded.zdr || asked.zdr) expect(tried.dataPolicy.zdr).toBe(true);
        if (demanded.denyDataCollection || asked.dataCollection === 'deny') {
          expect(tried.dataPolicy.dataCollection).toBe(false);
        }
        if (demanded.region === 'eu') expect(region).toMatch(/^eu/);
        if (demanded.region === 'us') expect(region).toMatch(/^us/);
      }
    });
  });

  it('tries no key that is disabled, unusable, or whose filters do not match', () => {
    holds((given, { attempts }) => {
      const usable = new Map(given.keys.map((one) => [one.key.id, one.usable && one.servesModel('m1')]));
      for (const { key: used } of attempts) {
        if (used === null) continue;
        expect(used.disabled).toBe(false);
        expect(usable.get(used.id)).toBe(true);
        expect(used.allowedModels?.some((name) => name === 'm1' || name === 'alias') ?? true).toBe(true);
        expect(used.allowedApiKeyHashes?.includes('hash') ?? true).toBe(true);
        expect(used.allowedUserIds?.includes('user') ?? true).toBe(true);
      }
    });
  });

  it('with a matching always-use key tries no shared endpoint of its provider', () => {
    holds((given, { attempts }) => {
      for (const { key: required } of given.keys.filter(isMatchingAlwaysUse)) {
        const shared = attempts.filter(
          ({ key: used, provider: p }) => used === null && p.slug === required.provider,
        );
        expect(shared).toEqual([]);
      }
    });
  });

  it('and the always-use key touches no other provider, nor any key', () => {
    holds((given, planned) => {
      const required = given.keys.find(({ key: one }) => one.isRequired);
      if (required === undefined || !given.preferences.allowFallbacks || given.maxAttempts < 32) return;
      const relaxed = given.keys.map((one) =>
        one === required ? { ...one, key: { ...one.key, isRequired: false } } : one,
      );
      const elsewhere = ({ attempts }: Plan) =>
        attempts
          .filter(({ key: used, provider: p }) => used !== null || p.slug !== required.key.provider)
          .map(wayOfAttempt);
      expect(elsewhere(planned)).toEqual(elsewhere(plan({ ...given, keys: relaxed })));
    });
  });

  it('is the same whatever the order in which endpoints and keys are given', () => {
    fc.assert(
      fc.property(planInput, fc.infiniteStream(fc.nat(1000)), (given, numbers) => {
        const shuffled = <T>(list: readonly T[]): T[] =>
          list
            .map((value) => ({ value, at: numbers.next().value ?? 0 }))
            .toSorted((x, y) => x.at - y.at)
            .map(({ value }) => value);
        const permuted = {
          ...given,
          keys: shuffled(given.keys),
          model: model(shuffled(given.model.endpoints)),
        };
        expect(plan(permuted)).toEqual(plan(given));
      }),
      { numRuns: 1000 },
    );
  });

  it('is not changed by a disabled key but for the report of it', () => {
    holds((given, planned) => {
      const disabled = key('D', 'a', { disabled: true, isRequired: true, isByokOnly: true });
      const beside = plan({ ...given, keys: [...given.keys, disabled] });
      expect(beside.attempts).toEqual(planned.attempts);
      expect(beside.excluded.filter(({ byokKeyId }) => byokKeyId !== 'D')).toEqual(planned.excluded);
    });
  });

  it('has no more attempts than allowed', () => {
    holds((given, { attempts }) => {
      expect(attempts.length).toBeLessThanOrEqual(given.maxAttempts);
      const { order, allowFallbacks } = given.preferences;
      if (!allowFallbacks && (order ?? []).length === 0) expect(attempts.length).toBeLessThanOrEqual(1);
    });
  });

  it('is explained exactly: the same attempts, the same exclusions', () => {
    fc.assert(
      fc.property(planInput, (given) => {
        const second = model(
          given.model.endpoints.map((one) => ({ ...one, id: `${one.id}-2`, modelId: 'm2' })),
          'm2',
        );
        const chain = planChain([given.model, second], given);
        const explained = explain(chain);
        expect(explained.attempts.map(({ endpoint: id, byokKeyId }) => wayOf(id, byokKeyId))).toEqual(
          chain.attempts.map(wayOfAttempt),
        );
        expect(explained.attempts.map(({ position }) => position)).toEqual(
          chain.attempts.map((_, index) => index),
        );
        expect(explained.excluded).toHaveLength(chain.plans.flatMap(({ plan: one }) => one.excluded).length);
        expect(chain.attempts.length).toBeLessThanOrEqual(given.maxAttempts);
      }),
    );
  });
});

function isMatchingAlwaysUse({ key: one }: RoutableKey): boolean {
  const forModel = one.allowedModels?.some((name) => name === 'm1' || name === 'alias') ?? true;
  const forCaller =
    (one.allowedApiKeyHashes?.includes('hash') ?? true) && (one.allowedUserIds?.includes('user') ?? true);
  return one.isRequired && !one.disabled && forModel && forCaller;
}
