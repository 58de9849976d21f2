import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { REASONING_EFFORTS } from '../../src/catalog/enums.js';
import type { ReasoningSupport as ModelReasoning } from '../../src/catalog/types.js';
import { maxAnswerTokens } from '../../src/inference/ports/usage.js';
import {
  EFFORTS,
  effortOfMaxTokens,
  nearestEffort,
  type ReasoningMembers,
  reasoningFor,
  reasoningViolations,
  requestedReasoning,
} from '../../src/inference/reasoning/reasoning.js';

/** A model that reasons, with these capabilities. */
function model(capabilities: Partial<ModelReasoning> = {}): ModelReasoning {
  return {
    mandatory: false,
    defaultEffort: undefined,
    defaultEnabled: undefined,
    supportedEfforts: undefined,
    supportsMaxTokens: false,
    ...capabilities,
  };
}

const forModel = (members: ReasoningMembers, capabilities: Partial<ModelReasoning> = {}, answer = 1000) =>
  reasoningFor(requestedReasoning(members), model(capabilities), answer);

const OFF = { isEnabled: false, effort: null, maxTokens: null };
const on = (effort: string | null, maxTokens: number | null = null) => ({
  isEnabled: true,
  effort,
  maxTokens,
});
const effort = (word: string) => ({ reasoning: { effort: word } });

describe('the demands of a request on a reasoning model', () => {
  it('are none for a model that does not reason', () => {
    expect(reasoningFor(requestedReasoning(effort('high')), null, 1000)).toBeNull();
  });

  it.each([
    [{ reasoning: { enabled: false } }],
    [{ reasoning: { enabled: false, effort: 'high' } }],
    [{ reasoning: { enabled: false, max_tokens: 10 } }],
    [effort('none')],
    [{ reasoning_effort: 'none' }],
  ])('%j turns it off', (members) => {
    expect(forModel(members)).toEqual(OFF);
    expect(forModel(members, { defaultEnabled: true, defaultEffort: 'high' })).toEqual(OFF);
    expect(forModel(members, { defaultEffort: 'none' })).toEqual(OFF);
  });

  it.each([
    [effort('low'), {}, on('low')],
    [{ reasoning_effort: 'low' }, {}, on('low')],
    [{ reasoning: { effort: null }, reasoning_effort: 'low' }, {}, on('low')],
    [{ reasoning: { enabled: true } }, {}, on(null)],
    [{ reasoning: { enabled: true } }, { defaultEffort: 'medium' }, on('medium')],
    [{ reasoning: { enabled: true } }, { defaultEffort: 'none' }, on(null)],
    [{ reasoning: { enabled: true } }, { defaultEffort: null }, on(null)],
    [{}, {}, null],
    [{ reasoning: { exclude: true } }, {}, null],
    [{ include_reasoning: true }, {}, null],
    [{}, { defaultEnabled: true }, on(null)],
    [{}, { defaultEnabled: true, defaultEffort: 'high' }, on('high')],
    [{}, { defaultEnabled: false, defaultEffort: 'high' }, OFF],
    [{}, { defaultEnabled: false, defaultEffort: 'none' }, null],
    [{}, { defaultEnabled: false, mandatory: true }, null],
  ])('%j of a model with %j is %j', (members, capabilities, reasoning) => {
    expect(forModel(members, capabilities)).toEqual(reasoning);
  });

  it.each([
    ['max', ['high', 'medium', 'low'], 'high'],
    ['minimal', ['high', 'medium', 'low', 'none'], 'low'],
    ['medium', ['high', 'low'], 'low'],
    ['medium', ['max', 'high', 'minimal'], 'high'],
    ['xhigh', ['medium'], 'medium'],
    ['high', ['none'], null],
    ['high', [], null],
  ] as const)('effort %s of a model that supports %j is %s', (wanted, supportedEfforts, given) => {
    expect(forModel(effort(wanted), { supportedEfforts })).toEqual(on(given));
  });

  it('takes any effort where there is no allowlist (null)', () => {
    for (const wanted of EFFORTS)
      expect(forModel(effort(wanted), { supportedEfforts: null })).toEqual(on(wanted));
  });

  it.each([
    ['max', 950],
    ['xhigh', 950],
    ['high', 800],
    ['medium', 500],
    ['low', 200],
    ['minimal', 100],
  ])('turns effort %s into %i of 1000 tokens where a model accepts max_tokens only', (wanted, maxTokens) => {
    for (const supportedEfforts of [undefined, null, [], ['none']]) {
      const capabilities = { supportsMaxTokens: true, supportedEfforts };
      expect(forModel(effort(wanted), capabilities)).toEqual(on(null, maxTokens));
    }
    expect(forModel(effort(wanted), { supportsMaxTokens: true, supportedEfforts: ['high'] })).toEqual(
      on('high'),
    );
  });

  it.each([
    [1, 'minimal'],
    [150, 'minimal'],
    [200, 'low'],
    [400, 'medium'],
    [800, 'high'],
    [900, 'xhigh'],
    [9000, 'xhigh'],
  ])(
    'turns max_tokens of %i of 1000 into effort %s where a model does not accept it',
    (max_tokens, given) => {
      expect(forModel({ reasoning: { max_tokens } })).toEqual(on(given));
      expect(forModel({ reasoning: { max_tokens } }, { supportsMaxTokens: true })).toEqual(
        on(null, max_tokens),
      );
    },
  );

  it('computes shares of the maximum of the answer', () => {
    expect(maxAnswerTokens({ max_tokens: 10 }, { maxCompletionTokens: 5 })).toBe(10);
    expect(maxAnswerTokens({ max_tokens: 10, max_completion_tokens: 7 }, { maxCompletionTokens: 5 })).toBe(7);
    expect(maxAnswerTokens({}, { maxCompletionTokens: 100 })).toBe(100);
    expect(maxAnswerTokens({}, { maxCompletionTokens: 64_000 })).toBe(4096);
    expect(maxAnswerTokens({}, { maxCompletionTokens: null })).toBe(4096);
  });

  it('never demands what a model does not support, and never both an effort and max_tokens', () => {
    const efforts = fc.subarray([...REASONING_EFFORTS]);
    const capabilities = fc.record({
      mandatory: fc.boolean(),
      defaultEffort: fc.option(fc.constantFrom(...REASONING_EFFORTS), { nil: undefined }),
      defaultEnabled: fc.option(fc.boolean(), { nil: undefined }),
      supportedEfforts: fc.option(efforts, { nil: null }),
      supportsMaxTokens: fc.boolean(),
    });
    const members = fc.record(
      {
        enabled: fc.boolean(),
        effort: fc.constantFrom(...REASONING_EFFORTS),
        max_tokens: fc.integer({ min: 1, max: 10_000 }),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(capabilities, members, fc.integer({ min: 1, max: 10_000 }), (model, reasoning, answer) => {
        const given = forModel({ reasoning }, model, answer);
        if (given === null) return;
        const { supportedEfforts, supportsMaxTokens } = model;
        expect(given.effort === null || given.maxTokens === null).toBe(true);
        if (!given.isEnabled) {
          const lowest = EFFORTS.findLast((one) => supportedEfforts?.includes(one)) ?? null;
          const isListed = supportedEfforts !== null && !supportedEfforts.includes('none');
          expect(given).toEqual({ ...OFF, effort: isListed ? lowest : null });
        }
        if (given.maxTokens !== null) expect([supportsMaxTokens, given.maxTokens > 0]).toEqual([true, true]);
        if (given.effort !== null && supportedEfforts !== null)
          expect(supportedEfforts).toContain(given.effort);
      }),
    );
  });

  it('an effort turned into max_tokens and back is the same effort, except max', () => {
    for (const wanted of EFFORTS) {
      const maxTokens = forModel(effort(wanted), { supportsMaxTokens: true }, 1000)?.maxTokens ?? 0;
      expect(effortOfMaxTokens(maxTokens, 1000)).toBe(wanted === 'max' ? 'xhigh' : wanted);
      expect(nearestEffort(wanted, EFFORTS)).toBe(wanted);
    }
  });
});

describe('contradictory members of a request', () => {
  it.each([
    [{ reasoning: { effort: 'low', max_tokens: 10 } }, ['reasoning.max_tokens conflict']],
    [{ reasoning: { effort: 'none', max_tokens: 10 } }, ['reasoning.max_tokens conflict']],
    [{ reasoning: { max_tokens: 10 }, reasoning_effort: 'low' }, ['reasoning.max_tokens conflict']],
    [{ reasoning: { effort: 'low' }, reasoning_effort: 'high' }, ['reasoning_effort conflict']],
    [{ reasoning: { enabled: true, effort: 'none' } }, ['reasoning.enabled conflict']],
    [{ reasoning: { enabled: true }, reasoning_effort: 'none' }, ['reasoning.enabled conflict']],
    [{ reasoning: { exclude: true }, include_reasoning: true }, ['include_reasoning conflict']],
    [{ reasoning_effort: 'hard' }, ['reasoning_effort enum']],
    [{ reasoning_effort: 3 }, ['reasoning_effort enum']],
    [{ include_reasoning: 'no' }, ['include_reasoning type']],
    [{ reasoning_effort: 'hard', include_reasoning: 1 }, ['reasoning_effort enum', 'include_reasoning type']],
    [{ reasoning: { effort: 'low' }, reasoning_effort: 'low', include_reasoning: true }, []],
    [{ reasoning: { effort: 'low', exclude: true }, include_reasoning: false }, []],
    [{ reasoning: { enabled: false, effort: 'low' } }, []],
    [{ reasoning: { effort: null, max_tokens: 3 }, reasoning_effort: null, include_reasoning: null }, []],
    [{}, []],
  ])('%j: %j', (members, expected) => {
    expect(reasoningViolations(members).map(({ field, rule }) => `${field} ${rule}`)).toEqual(expected);
  });
});
