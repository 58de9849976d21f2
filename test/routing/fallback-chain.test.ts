import { describe, expect, it } from 'vitest';
import { explain } from '../../src/routing/router/explain.js';
import { refusal, unknownModels } from '../../src/routing/router/refusal.js';
import {
  endpoint,
  type InputOverrides,
  input,
  key,
  model,
  pricing,
  shared,
  wholeChainOf,
} from './contexts.js';

const first = model([endpoint('a'), endpoint('b')], 'm1');
const second = model([endpoint('a', { id: 'a/m2', modelId: 'm2' })], 'm2');

const PLACE = { workspaceName: 'Default', baseUrl: 'https://gw.test' };
const PAYMENT = { plan: 'pay_as_you_go', at: Date.UTC(2026, 1, 28) } as const;

function chainOf(overrides: InputOverrides = {}) {
  const everything = input([...first.endpoints, ...second.endpoints], overrides);
  return wholeChainOf([first, second], everything);
}

describe('models falls back across models', () => {
  it('the whole plan of the first, then of the second', () => {
    const { attempts } = chainOf({ keys: [key('F', 'a', { isFallback: true })] });
    expect(attempts.map(({ endpoint: { id }, section }) => `${id} ${section}`)).toEqual([
      'a/m1 shared',
      'b/m1 shared',
      'a/m1 fallback',
      'a/m2 shared',
      'a/m2 fallback',
    ]);
  });

  it('one maximum holds for all attempts; exclusions stay with their model', () => {
    const { attempts, plans } = chainOf({ maxAttempts: 1 });
    expect(attempts).toHaveLength(1);
    expect(plans.map(({ modelId, plan }) => [modelId, plan.excluded.map((one) => one.endpointId)])).toEqual([
      ['m1', ['b/m1']],
      ['m2', ['a/m2']],
    ]);
  });

  it('a model that is named twice is planned once', () => {
    const chain = wholeChainOf([first, second, first], input(first.endpoints));
    expect(chain.plans.map(({ modelId }) => modelId)).toEqual(['m1', 'm2']);
  });
});

describe('keys that would have been tried but for their stored credential', () => {
  it('are listed once for each endpoint, and no key that anything else excludes', () => {
    const keys = [
      key('U', 'a', {}, { usable: false }),
      key('D', 'a', { disabled: true }, { usable: false }),
      key('N', 'c', {}, { usable: false }),
      key('K', 'b'),
    ];
    const { unusableKeys } = chainOf({ keys });
    expect(unusableKeys.map(({ provider: { slug }, ...ids }) => ({ slug, ...ids }))).toEqual([
      { slug: 'a', endpointId: 'a/m1', byokKeyId: 'U' },
      { slug: 'a', endpointId: 'a/m2', byokKeyId: 'U' },
    ]);
    expect(chainOf({ keys: [key('K', 'a')] }).unusableKeys).toEqual([]);
  });
});

describe('the error for a chain without attempts', () => {
  it('is 404 with the reasons counted over all models, the most frequent first', () => {
    const problem = refusal(
      chainOf({ policy: { region: 'eu', guardrailIgnoredModels: ['m2'] } }),
      PAYMENT,
      PLACE,
    );
    expect(problem).toMatchObject({
      reason: 'no_endpoint',
      httpStatus: 404,
      metadata: { reasons: { region: 3 } },
    });
    const mixed = refusal(
      chainOf({ policy: { guardrailIgnoredModels: ['m2'] }, sharedProviders: shared() }),
      PAYMENT,
      PLACE,
    );
    expect(mixed.metadata).toEqual({
      reasons: { no_shared_credential: 2, guardrail_model: 1 },
      unrelated_keys: 0,
    });
  });

  it('is 402 when only credits are missing for an attempt', () => {
    const problem = refusal(chainOf({ hasCredits: false }), PAYMENT, PLACE);
    expect(problem).toMatchObject({ reason: 'insufficient_credits', httpStatus: 402 });
    expect(problem.metadata).toEqual({ reasons: { insufficient_credits: 3 }, unrelated_keys: 0 });
  });

  it('reports the used-up BYOK allowance where only the fee of a key can’t be paid', () => {
    const problem = refusal(
      chainOf({ hasCredits: false, hasByokAllowance: false, keys: [key('K', 'a')] }),
      {
        ...PAYMENT,
        plan: 'enterprise',
      },
      PLACE,
    );
    expect(problem.message).toBe(
      'Insufficient credits: the free BYOK allowance of 200000 USD monthly is used up: resets 2026-03-01T00:00Z, ' +
        'whoever operates this gateway can add credits (byway account credit); ' +
        'requests over your own provider keys (BYOK) are not served, since their fee is paid with credits',
    );
    expect(problem.metadata).toMatchObject({
      limit_usd: 200_000,
      interval: 'monthly',
      resets_at: '2026-03-01T00:00:00.000Z',
    });
  });

  it('is 404 when credits would not help', () => {
    const problem = refusal(chainOf({ hasCredits: false, preferences: { only: ['c'] } }), PAYMENT, PLACE);
    expect(problem.httpStatus).toBe(404);
  });

  it('covers a model without any endpoint', () => {
    const problem = refusal(wholeChainOf([model([], 'm3')], input([])), PAYMENT, PLACE);
    expect(problem.message).toBe(
      'No endpoint of m3 is in the catalogue: name another model, or have the operator of this gateway import one',
    );
    expect(problem.metadata).toEqual({ reasons: {}, unrelated_keys: 0 });
  });
});

describe('an unknown model', () => {
  it('is 400 naming each field and the nearest known ids', () => {
    const known = ['openai/gpt-5', 'openai/gpt-5-mini', 'anthropic/claude-opus-4'];
    const problem = unknownModels(
      [
        { field: 'model', name: 'openai/gpt-55' },
        { field: 'models[1]', name: '?' },
      ],
      known,
    );
    expect(problem).toMatchObject({ reason: 'unknown_model', httpStatus: 400 });
    expect(problem.violations).toMatchObject([
      { field: 'model', rule: 'known' },
      { field: 'models[1]', rule: 'known', message: '"?" is not a known model' },
    ]);
    expect(problem.violations[0]?.message).toMatch(/did you mean openai\/gpt-5, openai\/gpt-5-mini/);
  });
});

describe('explain', () => {
  it('shows an attempt with its price after discount, its key by label only, and its health', () => {
    const e = endpoint('a', { region: 'eu', pricing: pricing('0.000002', '0.00001', { discount: 0.25 }) });
    const given = input([e], {
      keys: [key('K', 'a'), key('L', 'b')],
      preferences: { ignore: ['nobody'] },
      sharedProviders: shared(),
      health: () => ({ state: 'cooling', until: 1234 }),
    });
    expect(explain(wholeChainOf([given.model], given), 'chat')).toEqual({
      attempts: [
        {
          position: 0,
          provider: 'a',
          providerName: 'A',
          model: 'm1',
          endpoint: 'a/m1@eu',
          region: 'eu',
          isByok: true,
          byokKeyId: 'K',
          byokLabel: 'sk-...K',
          section: 'prioritized',
          price: { prompt: '0.0000015', completion: '0.0000075' },
          priceMode: null,
          health: { state: 'cooling', until: 1234 },
          lane: 'native',
        },
      ],
      excluded: [
        {
          model: 'm1',
          provider: 'a',
          endpointId: 'a/m1@eu',
          byokKeyId: null,
          reason: 'no_shared_credential',
          detail: 'This gateway holds no shared credential for a.',
        },
      ],
      excludedCounts: { no_shared_credential: 1 },
      unrelatedKeys: 1,
      unknownProviders: ['nobody'],
    });
  });
});
