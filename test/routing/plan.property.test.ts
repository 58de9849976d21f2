import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KeyIndex } from '../../src/byok/cache/key-index.js';
import { plan } from '../../src/routing/plan/plan.js';
import { explain } from '../../src/routing/router/explain.js';
import type { Attempt, PlanInput, RoutableKey, WholePlan } from '../../src/routing/types.js';
import { planInput } from './arbitraries.js';
import { key, keysOf, model, wholeChainOf } from './contexts.js';

const forAllPlans = (predicate: (given: PlanInput, planned: WholePlan) => void) =>
  fc.assert(
    fc.property(planInput, (given) => predicate(given, plan(given))),
    { numRuns: 1000 },
  );

const candidateOf = (endpointId: string | null, byokKeyId: string | null) =>
  `${endpointId} with ${byokKeyId}`;
const candidateOfAttempt = ({ endpoint: { id }, key: used }: Attempt) => candidateOf(id, used?.id ?? null);

describe('every plan', () => {
  it('accounts for every endpoint and every pair of a key and an endpoint of its provider exactly once', () => {
    forAllPlans((given, planned) => {
      const all = given.model.endpoints;
      const expected = [
        ...all.map(({ id }) => candidateOf(id, null)),
        ...keysOf(given).flatMap(({ key: one, servesModel }) => {
          const own = all.filter(({ provider: slug }) => slug === one.provider && servesModel('m1'));
          const isRelated = all.some(({ provider: slug }) => slug === one.provider);
          return isRelated && own.length === 0
            ? [candidateOf(null, one.id)]
            : own.map(({ id }) => candidateOf(id, one.id));
        }),
      ];
      const listed = [
        ...planned.attempts.map(candidateOfAttempt),
        ...planned.excluded.map(({ endpointId, byokKeyId }) => candidateOf(endpointId, byokKeyId)),
      ];
      expect(listed.toSorted()).toEqual(expected.toSorted());
    });
  });

  it('tries Prioritized keys before shared capacity before Fallback keys, and what is cooling last', () => {
    forAllPlans((_, { attempts }) => {
      const sections = ['prioritized', 'shared', 'fallback'];
      const ranks = attempts.map(
        ({ section, health }) => sections.indexOf(section) + (health.state === 'cooling' ? 10 : 0),
      );
      expect(ranks).toEqual(ranks.toSorted((x, y) => x - y));
    });
  });

  it('tries no endpoint that breaks a data policy, and stays within the region', () => {
    forAllPlans(({ policy: demanded, preferences: demands }, { attempts }) => {
      for (const { endpoint: tried, region } of attempts) {
        if (demanded.zdr || demands.zdr) expect(tried.dataPolicy.zdr).toBe(true);
        if (demanded.denyDataCollection || demands.dataCollection === 'deny') {
          expect(tried.dataPolicy.dataCollection).toBe(false);
        }
        if (demanded.region === 'eu') expect(region).toMatch(/^eu/);
        if (demanded.region === 'us') expect(region).toMatch(/^us/);
      }
    });
  });

  it('tries no key that is disabled, unusable, or whose filters do not match', () => {
    forAllPlans((given, { attempts }) => {
      const usable = new Map(keysOf(given).map((one) => [one.key.id, one.usable && one.servesModel('m1')]));
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
    forAllPlans((given, { attempts }) => {
      for (const { key: required } of keysOf(given).filter(isMatchingAlwaysUse)) {
        const shared = attempts.filter(
          ({ key: used, provider: p }) => used === null && p.slug === required.provider,
        );
        expect(shared).toEqual([]);
      }
    });
  });

  it('and the always-use key touches no other provider, nor any key', () => {
    forAllPlans((given, planned) => {
      const required = keysOf(given).find(({ key: one }) => one.isRequired);
      if (required === undefined || !given.preferences.allowFallbacks || given.maxAttempts < 32) return;
      const relaxed = keysOf(given).map((one) =>
        one === required ? { ...one, key: { ...one.key, isRequired: false } } : one,
      );
      const elsewhere = ({ attempts }: WholePlan) =>
        attempts
          .filter(({ key: used, provider: p }) => used !== null || p.slug !== required.key.provider)
          .map(candidateOfAttempt);
      expect(elsewhere(planned)).toEqual(elsewhere(plan({ ...given, keys: new KeyIndex(relaxed) })));
    });
  });

  it('does not depend on the order of endpoints and keys', () => {
    fc.assert(
      fc.property(planInput, fc.infiniteStream(fc.nat(1000)), (given, numbers) => {
        const shuffled = <T>(list: readonly T[]): T[] =>
          list
            .map((value) => ({ value, at: numbers.next().value ?? 0 }))
            .toSorted((x, y) => x.at - y.at)
            .map(({ value }) => value);
        const permuted = {
          ...given,
          keys: new KeyIndex(shuffled(keysOf(given))),
          model: model(shuffled(given.model.endpoints)),
        };
        expect(plan(permuted)).toEqual(plan(given));
      }),
      { numRuns: 1000 },
    );
  });

  it('is not changed by a disabled key, apart from its exclusion', () => {
    forAllPlans((given, planned) => {
      const disabled = key('D', 'a', { disabled: true, isRequired: true, isByokOnly: true });
      const beside = plan({ ...given, keys: new KeyIndex([...keysOf(given), disabled]) });
      expect(beside.attempts).toEqual(planned.attempts);
      expect(beside.excluded.filter(({ byokKeyId }) => byokKeyId !== 'D')).toEqual(planned.excluded);
    });
  });

  it('has no more attempts than allowed', () => {
    forAllPlans((given, { attempts }) => {
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
        const chain = wholeChainOf([given.model, second], given);
        const explained = explain(chain, 'chat');
        expect(explained.attempts.map(({ endpoint: id, byokKeyId }) => candidateOf(id, byokKeyId))).toEqual(
          chain.attempts.map(candidateOfAttempt),
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
