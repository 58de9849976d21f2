import { expect, it } from 'vitest';
import { suspiciousPrices } from '../../src/catalog/prices/suspicious.js';
import { demoModel, demoProvider } from '../support/catalog.js';
import { readChecked } from './catalog.fixture.js';

type Native = Readonly<Record<string, unknown>>;

/** Findings of endpoints of one model: `endpoint key found expected`, with what notes say. */
function found(id: string, slug: string, endpoints: readonly Native[]): string[] {
  const models = [
    demoModel(
      id,
      endpoints.map((one) => ({ provider: slug, upstream_model_id: 'm', ...one })),
    ),
  ];
  const file = readChecked(JSON.stringify({ providers: [demoProvider(slug)], models }));
  return suspiciousPrices(file).map(({ endpoint, key, found, expected, note }) =>
    [endpoint.replace(`${slug}/${id}`, ''), key, found, expected, note].map(String).join(' '),
  );
}

const at = (region: string | null, prompt: string, more: Native = {}) => ({
  region,
  pricing: { prompt, completion: '0.00001', ...more },
});

it('prices of one model at one provider that differ are found, each key by itself', () => {
  expect(found('a/m', 'h', [at(null, '0.000001'), at('eu', '0.000001')])).toEqual([]);
  expect(found('a/m', 'h', [at(null, '0.000001'), at(null, '0.000001'), at(null, '0.0000033')])).toEqual([
    '#3 prompt 0.0000033 0.000001 null',
  ]);
  expect(
    found('a/m', 'h', [
      at('global', '0.000001', { input_cache_read: '0.0000001' }),
      at('eu', '0.000001', { input_cache_write: '0.000001' }),
    ]),
  ).toEqual([
    '@eu input_cache_read null 1e-7 null'.replace('1e-7', '0.0000001'),
    '@eu input_cache_write 0.000001 null null',
  ]);
});

it('geographies whose ratio to the global price differs among themselves are found', () => {
  const geographies = [
    at('global', '0.000001'),
    at('us', '0.000001'),
    at('eu', '0.0000011'),
    at('au', '0.0000033'),
  ];
  expect(found('a/m', 'h', geographies)).toEqual([
    '@eu prompt 0.0000011 0.000001 null',
    '@au prompt 0.0000033 0.000001 null',
  ]);
});

it('where a ratio is published, that is expected of every geography and of no other model', () => {
  const claude = (prompt: string) => ({ prompt, completion: prompt });
  const endpoints = [
    { region: 'global', pricing: claude('0.000005') },
    { region: 'us', pricing: claude('0.000005') },
    { region: 'jp', pricing: claude('0.0000055') },
    { region: 'au', pricing: claude('0.0000165') },
    { pricing: claude('0.0000055') },
  ];
  expect(found('anthropic/claude-opus-4.6', 'amazon-bedrock', endpoints)).toEqual([
    '@us prompt 0.000005 0.0000055 null',
    '@us completion 0.000005 0.0000055 null',
    '@au prompt 0.0000165 0.0000055 null',
    '@au completion 0.0000165 0.0000055 null',
  ]);
  expect(found('anthropic/claude-opus-4.1', 'amazon-bedrock', endpoints.slice(0, 2))).toEqual([]);
  expect(
    found('anthropic/claude-opus-4.1', 'amazon-bedrock', [
      ...endpoints.slice(0, 1),
      ...endpoints.slice(2, 3),
    ]),
  ).toHaveLength(2);
});

it.each([
  [
    'anthropic/claude-opus-4.6',
    'anthropic',
    { input_cache_write: '0.000012' },
    'input_cache_write 0.000012 0.0000125',
  ],
  [
    'anthropic/claude-opus-4.6',
    'azure',
    { input_cache_write_1h: '0.0000125' },
    'input_cache_write_1h 0.0000125 0.00002',
  ],
  [
    'anthropic/claude-fable-5.1',
    'anthropic',
    { input_cache_read: '0.000001' },
    'input_cache_read 0.000001 0.00000025',
  ],
  ['openai/gpt-5', 'azure', { input_cache_read: '0.0000013' }, 'input_cache_read 0.0000013 0.000001'],
  ['openai/gpt-5.6', 'openai', { input_cache_write: '0.00001' }, 'input_cache_write 0.00001 0.0000125'],
  ['a/m', 'h', { input_cache_read: '0' }, 'input_cache_read 0 0.00001'],
  ['a/m', 'h', { input_cache_read: '0.00003' }, 'input_cache_read 0.00003 0.00001'],
  ['a/m', 'h', { input_cache_write: '0.000001' }, 'input_cache_write 0.000001 0.00001'],
  ['a/m', 'h', { input_cache_write: '0.00004' }, 'input_cache_write 0.00004 0.00002'],
])('caches of %s at %s in an odd ratio are found: %o', (id, slug, prices, finding) => {
  const pricing = { prompt: '0.00001', completion: '0.00005', ...prices };
  expect(found(id, slug, [{ pricing }])).toEqual([` ${finding} null`]);
  const [key = ''] = Object.keys(prices);
  const overrides = [{ min_prompt_tokens: 1_000, prompt: '0.00001', ...prices }];
  const right = { prompt: '0.00001', completion: '0.00005', overrides };
  expect(found(id, slug, [{ pricing: right }])).toEqual([` overrides[0].${finding} null`]);
  expect(found(id, slug, [{ pricing, price_notes: { [key]: 'as agreed' } }])).toEqual([
    ` ${finding} as agreed`,
  ]);
});

it('modes that are dearer or cheaper than what they are sold as are found, and long prompts that are cheaper', () => {
  const pricing = { prompt: '0.00001', completion: '0.00001' };
  const price_modes = [
    { service_tier: 'flex', multiplier: '2' },
    { service_tier: 'priority', multiplier: '0.5' },
    { speed: 'fast', prompt: '0.000001' },
    { batch: true, prompt: '0.00002' },
    { inference_geo: 'us', multiplier: '0.9' },
    { service_tier: 'flex', multiplier: '0.5' },
  ];
  expect(found('a/m', 'h', [{ pricing, price_modes }])).toEqual([
    ' price_modes[0].multiplier 2 1 null',
    ' price_modes[1].multiplier 0.5 1 null',
    ' price_modes[2].prompt 0.000001 0.00001 null',
    ' price_modes[3].prompt 0.00002 0.00001 null',
  ]);
  const overrides = [{ min_prompt_tokens: 1_000, completion: '0.000001' }];
  expect(found('a/m', 'h', [{ pricing: { ...pricing, overrides } }])).toEqual([
    ' overrides[0].completion 0.000001 0.00001 null',
  ]);
});

it('a mode with prices and a multiplier is judged by what they come to, not by either alone', () => {
  const pricing = { prompt: '0.00001', completion: '0.00001' };
  const both = { prompt: '0.00003', completion: '0.00003', multiplier: '0.5' };
  const price_modes = [
    { service_tier: 'priority', ...both },
    { service_tier: 'flex', ...both },
    { batch: true, prompt: '0.000001', completion: '0.000001', multiplier: '2' },
    { speed: 'fast', prompt: '0.00003', multiplier: '0.5' },
  ];
  expect(found('a/m', 'h', [{ pricing, price_modes }])).toEqual([
    ' price_modes[1].prompt 0.00003 0.00001 null',
    ' price_modes[1].completion 0.00003 0.00001 null',
    ' price_modes[3].multiplier 0.5 1 null',
  ]);
});

it('caches of an override or a mode are compared with the prompt that counts there, named or not', () => {
  const overrides = [
    { min_prompt_tokens: 1_000, input_cache_read: '0.00003' },
    { min_prompt_tokens: 2_000, prompt: '0.00004', input_cache_read: '0.00003' },
  ];
  const pricing = { prompt: '0.00001', completion: '0.00001', overrides };
  const price_modes = [
    { service_tier: 'priority', multiplier: '3', input_cache_read: '0.00002' },
    { service_tier: 'flex', input_cache_read: '0.00001', input_cache_write: '0.00005' },
    { speed: 'fast', prompt: '0.00005', input_cache_read: '0.00002' },
  ];
  expect(found('a/m', 'h', [{ pricing, price_modes }])).toEqual([
    ' overrides[0].input_cache_read 0.00003 0.00001 null',
    ' price_modes[0].input_cache_read 0.00002 0.00001 null',
    ' price_modes[1].input_cache_write 0.00005 0.00002 null',
  ]);
});

it('what is free, unpriced, or computed with fewer bits is compared with nothing', () => {
  expect(
    found('a/m', 'h', [
      at(null, '0.00001'),
      { pricing: { prompt: '0', completion: '0' } },
      { unpriced: true, pricing: null },
      { quantization: 'fp8', pricing: { prompt: '0.000001', completion: '0.000001' } },
    ]),
  ).toEqual([]);
});

it.each([
  [{ promt: 'x' }, 'price_notes.promt', 'did you mean prompt?'],
  [{ 'overrides[0].': 'x' }, 'price_notes["overrides[0]."]', 'must be a price such as'],
  [{ prompt: '' }, 'price_notes.prompt', 'must not be empty'],
  [{ prompt: '  ' }, 'price_notes.prompt', 'must say why the price is right'],
  [{ prompt: 'x'.repeat(1_001) }, 'price_notes.prompt', 'at most 1000 characters'],
  [{ prompt: 7 }, 'price_notes.prompt', 'must be a string'],
])('a note %o is refused with its path and rule', (price_notes, path, message) => {
  const read = () => found('a/m', 'h', [{ ...at(null, '0.00001'), price_notes }]);
  expect(read).toThrow(
    expect.objectContaining({
      violations: [
        expect.objectContaining({
          field: `models[0].endpoints[0].${path}`,
          message: expect.stringContaining(message),
        }),
      ],
    }),
  );
});
