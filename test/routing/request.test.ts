import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RoutingMembers } from '../../src/formats/routing-members.js';
import { estimatePromptTokens } from '../../src/routing/estimate/prompt-tokens.js';
import { missingParameters, usedParameters } from '../../src/routing/estimate/used-parameters.js';
import {
  MAX_LISTED_NAMES,
  noPreferences,
  parseMaxPrice,
  preferencesOf,
  preferenceViolations,
  routeViolations,
} from '../../src/routing/plan/preferences.js';

describe('max_price', () => {
  it('takes numbers and decimal strings; what is not given has no maximum', () => {
    expect(parseMaxPrice({ prompt: 1.5, completion: '0.25', request: null })).toEqual({
      maxPrice: {
        prompt: { digits: 15n, scale: 1 },
        completion: { digits: 25n, scale: 2 },
        request: null,
        image: null,
      },
      violations: [],
    });
  });

  it('reports all violations at once', () => {
    const { violations } = parseMaxPrice({
      prompt: 'cheap',
      completion: -1,
      request: Number.NaN,
      image: '9'.repeat(65),
    });
    expect(violations.map(({ field, rule }) => `${field} ${rule}`)).toEqual([
      'provider.max_price.prompt decimal',
      'provider.max_price.completion range',
      'provider.max_price.request decimal',
      'provider.max_price.image decimal',
    ]);
  });
});

describe('the preferences of a request', () => {
  const broken = (members: RoutingMembers) =>
    routeViolations(members).map(({ field, rule }) => `${field} ${rule}`);

  it('demand nothing and allow fallbacks unless it says so', () => {
    const nothing = {
      order: null,
      only: null,
      ignore: null,
      allowFallbacks: true,
      requireParameters: false,
      dataCollection: null,
      zdr: false,
      quantizations: null,
      sort: null,
      maxPrice: null,
      maxCostNanoUsd: null,
    };
    expect(preferencesOf(undefined)).toEqual(nothing);
    expect(preferencesOf({})).toEqual(nothing);
    expect(preferencesOf({ order: null, max_price: null })).toEqual(nothing);
  });

  it('are those that it gives', () => {
    const sent = {
      order: ['a'],
      only: ['b'],
      ignore: ['c'],
      allow_fallbacks: false,
      require_parameters: true,
      data_collection: 'deny',
      zdr: true,
      quantizations: ['fp8'],
      sort: 'latency',
      max_price: { prompt: 0 },
      max_cost_usd: '0.25',
    } as const;
    expect(preferencesOf(sent)).toEqual({
      order: ['a'],
      only: ['b'],
      ignore: ['c'],
      allowFallbacks: false,
      requireParameters: true,
      dataCollection: 'deny',
      zdr: true,
      quantizations: ['fp8'],
      sort: 'latency',
      maxPrice: { prompt: { digits: 0n, scale: 0 }, completion: null, request: null, image: null },
      maxCostNanoUsd: 250_000_000n,
    });
  });

  it.each([
    ['0.000000001', []],
    ['1e-9', []],
    ['1000000000', []],
    ['0', ['provider.max_cost_usd range']],
    ['-1', ['provider.max_cost_usd range']],
    ['1000000000.000000001', ['provider.max_cost_usd range']],
    ['1e400', ['provider.max_cost_usd range']],
    ['0.0000000001', ['provider.max_cost_usd decimals']],
    ['much', ['provider.max_cost_usd decimal']],
    ['', ['provider.max_cost_usd decimal']],
    ['0x10', ['provider.max_cost_usd decimal']],
    [`0.${'1'.repeat(64)}`, ['provider.max_cost_usd decimal']],
  ])('may cost more than 0 and at most a billion, in whole nano-USD: %s', (max_cost_usd, violations) => {
    expect(broken({ model: 'm', provider: { max_cost_usd } })).toEqual(violations);
  });

  it('name a model, or up to 32 in models', () => {
    expect(broken({ model: 'm' })).toEqual([]);
    expect(broken({ models: Array(32).fill('m') })).toEqual([]);
    expect(broken({ model: 'm', models: Array(33).fill('m') })).toEqual(['models count']);
    expect(broken({})).toEqual(['model required']);
    expect(broken({ models: [] })).toEqual(['model required']);
  });

  it('are checked together: lists and prices', () => {
    expect(broken({ model: 'm', provider: {} })).toEqual([]);
    expect(broken({ model: 'm', provider: { max_price: { prompt: 0, image: '9'.repeat(64) } } })).toEqual([]);
    expect(broken({ provider: { only: [''], max_price: { prompt: -1 } } })).toEqual([
      'model required',
      'provider.only[0] length',
      'provider.max_price.prompt range',
    ]);
  });
});

describe('lists of the provider member', () => {
  it('may be absent or empty', () => {
    expect(preferenceViolations({ ...noPreferences, only: [] })).toEqual([]);
    expect(preferenceViolations(noPreferences)).toEqual([]);
    const full = Array.from({ length: MAX_LISTED_NAMES }, () => 'a');
    expect(preferenceViolations({ ...noPreferences, only: full })).toEqual([]);
  });

  it('have bounded length and no empty entries', () => {
    const violations = preferenceViolations({
      ...noPreferences,
      order: ['a', ''],
      ignore: Array.from({ length: MAX_LISTED_NAMES + 1 }, () => 'a'),
      quantizations: [''],
    });
    expect(violations.map(({ field, rule }) => `${field} ${rule}`)).toEqual([
      'provider.order[1] length',
      'provider.ignore count',
      'provider.quantizations[0] length',
    ]);
  });
});

describe('the parameters that a request uses', () => {
  it('are the members under their own name', () => {
    const body = {
      model: 'm',
      messages: [],
      max_tokens: 5,
      temperature: 0,
      tools: [{}],
      stop: 'x',
      unknown: 1,
    };
    expect(usedParameters(body)).toEqual(['temperature', 'max_tokens', 'stop', 'tools']);
  });

  it('a json_schema format uses structured_outputs, a json_object format response_format', () => {
    expect(usedParameters({ response_format: { type: 'json_schema' } })).toEqual(['structured_outputs']);
    expect(usedParameters({ response_format: { type: 'json_object' } })).toEqual(['response_format']);
  });

  it('a value other than the default counts, and a value of an unexpected form too', () => {
    const body = { logprobs: true, reasoning: 'high', reasoning_effort: 'low', response_format: 7 };
    expect(usedParameters(body).toSorted()).toEqual([
      'logprobs',
      'reasoning',
      'reasoning_effort',
      'response_format',
    ]);
    expect(usedParameters({ include_reasoning: true })).toEqual(['include_reasoning']);
    expect(usedParameters({ reasoning: { effort: 'none' } })).toEqual([]);
    expect(usedParameters({ tool_choice: { type: 'json_schema' } })).toEqual(['tool_choice']);
  });

  it('null and default values use nothing', () => {
    const body = {
      temperature: null,
      tools: [],
      logprobs: false,
      response_format: { type: 'text' },
      reasoning: { enabled: false },
      reasoning_effort: 'none',
      include_reasoning: false,
      structured_outputs: false,
    };
    expect(usedParameters(body)).toEqual([]);
    expect(usedParameters({ parallel_tool_calls: false, reasoning: { effort: 'low' } })).toEqual([
      'parallel_tool_calls',
      'reasoning',
    ]);
  });

  it('are missing where no spelling of them is supported', () => {
    const supported = ['max_tokens', 'reasoning'];
    expect(missingParameters(['max_completion_tokens', 'reasoning_effort', 'tools'], supported)).toEqual([
      'tools',
    ]);
  });
});

describe('estimates of prompt tokens', () => {
  const user = (content: unknown) => ({ messages: [{ role: 'user', content }] });

  it('high is at least the bytes of text, low at most a sixth of its characters', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' })), (texts) => {
        const { low, likely, high } = estimatePromptTokens({
          messages: texts.map((content) => ({ role: 'user', content })),
        });
        const text = texts.join('');
        expect(high).toBeGreaterThanOrEqual(Buffer.byteLength(text) + 4 * texts.length);
        expect(low).toBeLessThanOrEqual(text.length / 6 + texts.length);
        expect(low).toBeLessThanOrEqual(likely);
        expect(likely).toBeLessThanOrEqual(high);
      }),
    );
  });

  it('counts the bytes of a short text too, whatever its script', () => {
    const high = (text: string) => estimatePromptTokens(user(text)).high;
    expect(high('你好') - high('ab')).toBe(4);
    expect(high('\u0080') - high('\u007f')).toBe(1);
  });

  it.each([
    { tools: [{ function: { name: 'a'.repeat(600) } }] },
    { functions: [{ name: 'a'.repeat(600) }] },
    { response_format: { type: 'json_schema', json_schema: { name: 'a'.repeat(600) } } },
  ])('counts tools and formats too: %o', (more) => {
    const plain = estimatePromptTokens(user('hi'));
    const withMore = estimatePromptTokens({ ...user('hi'), ...more });
    expect(withMore.high).toBeGreaterThan(plain.high + 600);
    expect(withMore.low).toBeGreaterThanOrEqual(100);
  });

  it('counts media flat, and inline media by size, never as text', () => {
    const image = (url: string) => estimatePromptTokens(user([{ type: 'image_url', image_url: { url } }]));
    expect(image('https://example.com/a.png').high).toBeGreaterThanOrEqual(10_000);
    expect(image('https://example.com/a.png').low).toBeLessThan(10);
    const inline = image(`data:image/png;base64,${'A'.repeat(800_000)}`);
    expect(inline.high).toBeGreaterThan(100_000);
    expect(inline.high).toBeLessThan(101_000);
    expect(inline.low).toBeLessThan(10);
  });

  it('takes any depth and any shape', () => {
    let deep: unknown = 'x';
    for (let level = 0; level < 100_000; level++) deep = [deep];
    expect(estimatePromptTokens({ messages: deep }).high).toBeGreaterThan(100_000);
    expect(estimatePromptTokens({ messages: 7, tools: null })).toEqual({
      low: 0,
      likely: 0,
      high: 17,
      images: [],
    });
    expect(estimatePromptTokens({})).toEqual({ low: 0, likely: 0, high: 0, images: [] });
  });
});
