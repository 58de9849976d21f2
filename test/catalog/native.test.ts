import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_LISTED_VIOLATIONS } from '../../src/catalog/input/violation-list.js';
import { formatNative } from '../../src/catalog/native/native.js';
import { defaultFile, fixture, readChecked, violationsOf } from './catalog.fixture.js';

/** The fixture with the value at each path set or, with undefined, removed. */
function changed(...changes: readonly (readonly [path: string, value: unknown])[]): string {
  const document: unknown = JSON.parse(fixture('native.json'));
  for (const [path, value] of changes) {
    const names = namesOf(path);
    const last = names.pop() ?? '';
    const place = objectAt(document, names);
    if (value === undefined) Reflect.deleteProperty(place, last);
    else Reflect.set(place, last, value);
  }
  return JSON.stringify(document);
}

/** The fixture's value at the path. */
function fixtureValue(path: string): object {
  return objectAt(JSON.parse(fixture('native.json')), namesOf(path));
}

function namesOf(path: string): string[] {
  return path.split(/[.[\]]+/).filter((name) => name !== '');
}

function objectAt(document: unknown, names: readonly string[]): object {
  return names.reduce((at, name) => Object(Reflect.get(at, name)), Object(document));
}

/** Of a token, in USD. */
const MAX_PRICE = 10_000n;

describe('the native catalogue file', () => {
  it('is read as it is, with prices as plain decimal strings', () => {
    const file = readChecked(fixture('native.json'));
    expect(file.models[0]).toMatchObject({
      canonicalSlug: 'acme/big-2026-01',
      architecture: { instructType: null, tokenizer: 'Other' },
      reasoning: { defaultEffort: null, supportedEfforts: ['high', 'low'], supportsMaxTokens: true },
      defaultParameters: { temperature: 0.7, topP: null, topK: 40, frequencyPenalty: null },
    });
    expect(file.models[0]?.endpoints[0]?.pricing).toEqual({
      prices: { prompt: '0.000003', completion: '0.000015', input_cache_read: '0.0000003' },
      discount: 0.1,
      overrides: [
        {
          prices: { prompt: '0.000006' },
          minPromptTokens: 128000,
          utcStart: null,
          utcEnd: null,
          utcDays: null,
        },
        {
          prices: { completion: '0.00001' },
          minPromptTokens: null,
          utcStart: 2200,
          utcEnd: 600,
          utcDays: ['saturday', 'sunday'],
        },
      ],
    });
    expect(file.models[1]?.architecture?.modality).toBe('text->text');
    expect(file.models[2]).toMatchObject({ aliasTarget: 'acme/big', endpoints: [], architecture: null });
  });

  it('comes back the same when it is written and read again', () => {
    for (const file of [readChecked(fixture('native.json')), defaultFile()]) {
      expect(readChecked(formatNative(file))).toEqual(file);
    }
  });

  it('keeps any price exactly, whether it is a number or a string', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: 10n ** 15n }),
        fc.integer({ min: 0, max: 20 }),
        (digits, scale) => {
          fc.pre(digits <= MAX_PRICE * 10n ** BigInt(scale));
          const text = changed(['models[1].pricing.prompt', `${digits}e-${scale}`]);
          const price = readChecked(text).models[1]?.pricing?.prices.prompt ?? '';
          expect(price).toMatch(/^\d+(\.\d*[1-9])?$/);
          const [whole = '', fraction = ''] = price.split('.');
          expect(BigInt(whole + fraction.padEnd(20, '0'))).toBe(digits * 10n ** BigInt(20 - scale));
        },
      ),
      { numRuns: 50 },
    );
  });
});

describe('every violation of a native file is reported with its path', () => {
  const violations: [rule: string, field: string, value: unknown, alsoAt?: string][] = [
    ['required', 'models', undefined],
    ['unknown_member', 'model', []],
    ['unknown_member', 'models[0].top_provider', {}],
    ['unknown_member', 'models[0].benchmarks.arena_rankings[0].rank', 1],
    ['unknown_value', 'providers[0].adapter', 'openia'],
    ['pattern', 'providers[1].slug', 'Bolt!', 'models[0].endpoints[1].provider'],
    ['url', 'providers[0].base_url', 'https://{zone}.acme.example'],
    ['url', 'providers[0].status_page_url', 'ftp://acme.example'],
    ['type', 'providers[0].data_policy.zdr', null],
    ['required', 'models[1].name', undefined],
    ['pattern', 'models[1].id', 'small'],
    ['duplicate', 'models[1].id', 'acme/big'],
    ['duplicate', 'models[1].canonical_slug', 'acme/big-2026-01'],
    ['duplicate', 'models[1].canonical_slug', 'acme/big'],
    ['integer', 'models[0].created', 1.5],
    ['range', 'models[0].context_length', 0],
    ['date', 'models[0].expiration_date', '2026-02-30'],
    ['unknown_value', 'models[0].architecture.input_modalities[1]', 'pdf'],
    ['unknown_value', 'models[0].architecture.output_modalities[0]', 'texts'],
    ['unknown_value', 'models[0].architecture.instruct_type', 'llama9'],
    ['unknown_value', 'models[0].architecture.tokenizer', 'gpt'],
    ['format', 'models[0].supported_parameters[1]', 'to ol'],
    ['unknown_value', 'models[0].reasoning.supported_efforts[0]', 'huge'],
    ['required', 'models[0].reasoning.mandatory', undefined],
    ['required', 'models[0].per_request_limits.completion_tokens', undefined],
    ['required', 'models[0].endpoints[0].upstream_model_id', undefined],
    ['unknown_provider', 'models[0].endpoints[0].provider', 'acne'],
    ['unknown_value', 'models[0].endpoints[1].status', 'off'],
    ['required', 'models[0].endpoints[1].pricing', undefined],
    ['required', 'models[0].endpoints[0].pricing.prompt', undefined],
    ['price', 'models[0].endpoints[0].pricing.prompt', '-0.1'],
    ['price', 'models[0].endpoints[0].pricing.prompt', '1,5'],
    ['price', 'models[0].endpoints[0].pricing.prompt', '10000.01'],
    ['price', 'models[0].endpoints[0].pricing.prompt', 1e300],
    ['type', 'models[0].endpoints[0].pricing.prompt', true],
    ['unknown_member', 'models[0].endpoints[0].pricing.promt', '1'],
    ['range', 'models[0].endpoints[0].pricing.discount', 1.1],
    ['clock', 'models[0].endpoints[0].pricing.overrides[1].utc_start', 2260],
    ['clock', 'models[0].endpoints[0].pricing.overrides[1].utc_end', 2400],
    ['incomplete_window', 'models[0].endpoints[0].pricing.overrides[1].utc_end', undefined],
    ['empty', 'models[0].endpoints[0].pricing.overrides[1].utc_days', []],
    ['unknown_value', 'models[0].endpoints[0].pricing.overrides[1].utc_days[0]', 'Saturday'],
    ['unknown_member', 'models[0].endpoints[0].pricing.overrides[0].image', '1'],
    ['unknown_value', 'models[0].endpoints[0].formats[1]', 'response'],
    ['unknown_member', 'providers[0].quirks.max_token_member', 'max_tokens'],
    ['unknown_value', 'providers[0].quirks.max_tokens_member', 'max_output_tokens'],
    ['type', 'providers[0].quirks.developer_role', null],
    ['type', 'providers[0].quirks.reasoning_on', ['enable_thinking']],
    ['fixed', 'providers[0].quirks.reasoning_off.messages', []],
    ['pattern', 'providers[0].quirks.reasoning_member', 'reasoning content'],
    ['fixed', 'providers[0].quirks.members.tools', null],
    ['fixed', 'providers[0].quirks.members.seed', 'model'],
    ['pattern', 'providers[0].quirks.members.__proto__x', 'a'],
    ['type', 'providers[0].quirks.members.seed', 1],
    ['type', 'providers[0].quirks.stream_options', 'include_usage'],
    ['pattern', 'providers[0].quirks.schema_without[0]', 'a b'],
    ['type', 'providers[0].quirks.cache_control', 'no'],
    ['unknown_member', 'providers[0].quirks.usage.total_tokens', 'total'],
    ['pattern', 'providers[0].quirks.usage.cached_tokens', 'cache..hits'],
    ['pattern', 'providers[0].quirks.usage.cached_tokens', 'a.b.c.d.e'],
    ['type', 'providers[0].quirks.usage.cached_tokens', null],
    ['unknown_value', 'providers[0].quirks.cached_tokens', 'within'],
    ['unknown_value', 'providers[0].quirks.finish_reasons.halted', 'done'],
    ['adapter', 'providers[0].quirks.api_version', '2024-10-21'],
    ['adapter', 'providers[1].quirks', { cache_control: true }],
    ['adapter', 'models[0].endpoints[1].quirks', { cache_control: true }],
    ['unknown_model', 'models[2].alias_target.slug', 'acme/bigg'],
    ['alias', 'models[2].alias_target.slug', '~acme/latest'],
  ];

  it.each(violations)('%s: %s', async (rule, field, value, alsoAt) => {
    const places = alsoAt === undefined ? [field] : [field, alsoAt];
    const broken = changed(...places.map((place) => [place, value] as const));
    expect(await violationsOf(() => readChecked(broken))).toEqual([[field, rule]]);
  });

  it('providers given twice, and endpoints of an alias', async () => {
    const twice = changed(['providers[3]', fixtureValue('providers[1]')]);
    expect(await violationsOf(() => readChecked(twice))).toEqual([['providers[3].slug', 'duplicate']]);
    const aliasWithEndpoints = changed(['models[2].endpoints', fixtureValue('models[0].endpoints')]);
    expect(await violationsOf(() => readChecked(aliasWithEndpoints))).toEqual([
      ['models[2].endpoints', 'alias'],
    ]);
  });

  it('an invalid list, and what follows from it', async () => {
    const broken = changed(['providers', {}]);
    expect((await violationsOf(() => readChecked(broken)))[0]).toEqual(['providers', 'type']);
  });

  it('all of them at once, up to a limit, the rest counted', async () => {
    const some = changed(
      ['models[0].created', 'today'],
      ['models[1].pricing.prompt', -1],
      ['providers[0].name', 7],
    );
    expect((await violationsOf(() => readChecked(some))).map(([field]) => field)).toEqual([
      'providers[0].name',
      'models[0].created',
      'models[1].pricing.prompt',
    ]);
    const many = await violationsOf(() =>
      readChecked(JSON.stringify({ providers: Array(150).fill(1), models: [] })),
    );
    expect(many).toHaveLength(MAX_LISTED_VIOLATIONS + 1);
    expect(many.at(-1)).toEqual(['', 'more_faults']);
  });

  it('suggests the nearest known name', () => {
    const misspelt = changed(['models[0].endpoints[0].pricing.compeltion', '1']);
    expect(() => readChecked(misspelt)).toThrow('did you mean completion?');
  });

  it('and for a text that is not JSON, or JSON of unknown shape', async () => {
    expect(await violationsOf(() => readChecked('{"providers": ['))).toEqual([['', 'json']]);
    expect(await violationsOf(() => readChecked('[]'))).toEqual([['', 'type']]);
    expect(await violationsOf(() => readChecked('{}'))).toEqual([
      ['providers', 'required'],
      ['models', 'required'],
    ]);
  });

  it('never throws anything but violations, whatever JSON it is given', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), fc.jsonValue(), async (providers, models) => {
        await violationsOf(() => readChecked(JSON.stringify({ providers: [providers], models: [models] })));
        await violationsOf(() => readChecked(JSON.stringify({ one: providers, two: { npm: 'x', models } })));
      }),
      { numRuns: 200 },
    );
  });
});
