import { describe, expect, it } from 'vitest';
import { createCatalog } from '../../src/catalog/assembled/catalog.js';
import { unpricedModes } from '../../src/catalog/modes.js';
import { formatNative } from '../../src/catalog/native/native.js';
import { demoModel, demoProvider } from '../support/catalog.js';
import { readChecked, violationsOf } from './catalog.fixture.js';

const PRIORITY = { service_tier: 'priority', multiplier: '2' };

/** A file with one provider and one model that has one endpoint. */
function fileWith({ provider = {}, endpoint = {} }: { provider?: object; endpoint?: object }): string {
  return JSON.stringify({
    providers: [demoProvider('a', provider)],
    models: [demoModel('test/m', [{ provider: 'a', upstream_model_id: 'echo', ...endpoint }])],
  });
}

const ofEndpoint = (...modes: readonly unknown[]) => fileWith({ endpoint: { price_modes: modes } });

function modesOf(text: string) {
  const [model] = createCatalog(readChecked(text), 1).models;
  return model?.endpoints[0]?.pricing.modes;
}

describe('price_modes of the catalogue', () => {
  it('are read with words in lower case and prices as plain decimal strings', () => {
    const entry = {
      service_tier: 'Priority',
      speed: 'fast',
      inference_geo: 'us',
      batch: true,
      min_prompt_tokens: 200000,
      multiplier: 1.1,
      prompt: 2e-6,
      completion: '0.00001',
      image_token: '0.000001',
      image_output_token: '0.000002',
      audio: '0.000003',
      audio_output: '0.000004',
      input_audio_cache: '0.000005',
      input_cache_read: '0.000006',
      input_cache_write: '0.000007',
      input_cache_write_1h: '0.000008',
      internal_reasoning: '0.000009',
    };
    const { service_tier, speed, inference_geo, batch, min_prompt_tokens, multiplier, ...prices } = entry;
    expect(modesOf(ofEndpoint(entry))).toEqual([
      {
        words: { service_tier: 'priority', speed, inference_geo },
        isBatch: batch,
        minPromptTokens: min_prompt_tokens,
        multiplier: '1.1',
        prices: { ...prices, prompt: '0.000002' },
      },
    ]);
  });

  it('of a provider are those of its endpoints, unless an endpoint has a list of its own, which replaces it', () => {
    const provider = { price_modes: [PRIORITY] };
    expect(modesOf(fileWith({ provider }))).toMatchObject([{ words: { service_tier: 'priority' } }]);
    const own = { price_modes: [{ speed: 'fast', multiplier: '6' }] };
    expect(modesOf(fileWith({ provider, endpoint: own }))).toMatchObject([{ words: { speed: 'fast' } }]);
    expect(modesOf(fileWith({ provider, endpoint: { price_modes: [] } }))).toBeUndefined();
  });

  it('may name a mode without a price, which then costs what the base does', () => {
    expect(modesOf(ofEndpoint({ service_tier: 'flex' }))).toMatchObject([{ multiplier: null, prices: {} }]);
  });

  it('come back the same when they are written and read again', () => {
    const file = readChecked(
      fileWith({
        provider: { price_modes: [PRIORITY, { batch: true, multiplier: '0.5' }] },
        endpoint: { price_modes: [{ speed: 'fast', min_prompt_tokens: 0, prompt: '0' }] },
      }),
    );
    expect(readChecked(formatNative(file))).toEqual(file);
  });

  const at = 'models[0].endpoints[0].price_modes';
  it.each<[rule: string, field: string, entry: unknown]>([
    ['condition', `${at}[0]`, {}],
    ['condition', `${at}[0]`, { multiplier: '2' }],
    ['condition', `${at}[0]`, { min_prompt_tokens: 200_000, multiplier: '2' }],
    ['base', `${at}[0].service_tier`, { service_tier: 'default' }],
    ['base', `${at}[0].service_tier`, { service_tier: 'Standard_Only' }],
    ['base', `${at}[0].service_tier`, { service_tier: 'AUTO' }],
    ['base', `${at}[0].service_tier`, { service_tier: 'ON_DEMAND' }],
    ['base', `${at}[0].service_tier`, { service_tier: 'reserved' }],
    ['base', `${at}[0].service_tier`, { service_tier: 'PROVISIONED_THROUGHPUT' }],
    ['base', `${at}[0].speed`, { speed: 'standard' }],
    ['base', `${at}[0].inference_geo`, { inference_geo: 'global' }],
    ['base', `${at}[0].inference_geo`, { inference_geo: 'not_available' }],
    ['type', `${at}[0].service_tier`, { service_tier: 7 }],
    ['empty', `${at}[0].speed`, { speed: '' }],
    ['pattern', `${at}[0].speed`, { speed: 'very fast' }],
    ['pattern', `${at}[0].speed`, { speed: 'x'.repeat(65) }],
    ['true', `${at}[0].batch`, { batch: false, speed: 'fast' }],
    ['type', `${at}[0].batch`, { batch: 'yes', speed: 'fast' }],
    ['range', `${at}[0].multiplier`, { speed: 'fast', multiplier: '0' }],
    ['price', `${at}[0].multiplier`, { speed: 'fast', multiplier: '100.01' }],
    ['price', `${at}[0].multiplier`, { speed: 'fast', multiplier: '-1' }],
    ['price', `${at}[0].multiplier`, { speed: 'fast', multiplier: 'twice' }],
    ['type', `${at}[0].multiplier`, { speed: 'fast', multiplier: true }],
    ['price', `${at}[0].prompt`, { speed: 'fast', prompt: '1,5' }],
    ['price', `${at}[0].completion`, { speed: 'fast', completion: -1 }],
    ['price', `${at}[0].audio_output`, { speed: 'fast', audio_output: '10001' }],
    ['range', `${at}[0].min_prompt_tokens`, { speed: 'fast', min_prompt_tokens: -1 }],
    ['unknown_member', `${at}[0].tier`, { speed: 'fast', tier: 'priority' }],
    ['unknown_member', `${at}[0].request`, { speed: 'fast', request: '1' }],
    ['unknown_member', `${at}[0].image`, { speed: 'fast', image: '1' }],
    ['unknown_member', `${at}[0].image_output`, { speed: 'fast', image_output: '1' }],
    ['unknown_member', `${at}[0].web_search`, { speed: 'fast', web_search: '1' }],
    ['unknown_member', `${at}[0].discount`, { speed: 'fast', discount: 0.1 }],
    ['type', `${at}[0]`, 'fast'],
  ])('are refused: %s at %s, %j', async (rule, field, entry) => {
    expect(await violationsOf(() => readChecked(ofEndpoint(entry)))).toContainEqual([field, rule]);
  });

  it('are refused beyond 100 entries, and where they are no list', async () => {
    const many = Array.from({ length: 101 }, () => PRIORITY);
    expect(await violationsOf(() => readChecked(ofEndpoint(...many)))).toEqual([[at, 'too_long']]);
    const none = fileWith({ endpoint: { price_modes: PRIORITY } });
    expect(await violationsOf(() => readChecked(none))).toEqual([[at, 'type']]);
  });

  it('of a provider are refused by the same rules', async () => {
    const text = fileWith({ provider: { price_modes: [{ multiplier: '2' }] } });
    expect(await violationsOf(() => readChecked(text))).toEqual([
      ['providers[0].price_modes[0]', 'condition'],
    ]);
  });

  it("can't price Anthropic's tier priority, which is capacity paid before", async () => {
    const price_modes = [PRIORITY];
    const provider = { adapter: 'anthropic', price_modes };
    expect(await violationsOf(() => readChecked(fileWith({ provider, endpoint: { price_modes } })))).toEqual([
      ['providers[0].price_modes[0].service_tier', 'base'],
      [`${at}[0].service_tier`, 'base'],
    ]);
  });

  it('are absent where nobody knows any price', async () => {
    const text = fileWith({ endpoint: { unpriced: true, price_modes: [PRIORITY] } });
    expect(await violationsOf(() => readChecked(text))).toEqual([[at, 'unpriced']]);
  });
});

describe('a mode has a price', () => {
  const entry = (words: object, isBatch = false) => ({
    words,
    isBatch,
    minPromptTokens: null,
    multiplier: '2',
    prices: {},
  });

  it('only by an entry all of whose conditions the request asks for', () => {
    const both = entry({ speed: 'fast', inference_geo: 'us' });
    expect(unpricedModes([both], { speed: 'fast' })).toEqual(['speed:fast']);
    expect(unpricedModes([both], { speed: 'fast', inference_geo: 'us' })).toEqual([]);
    expect(unpricedModes([both, entry({ speed: 'fast' })], { speed: 'fast' })).toEqual([]);
  });

  it('not by an entry for batches', () => {
    expect(unpricedModes([entry({ service_tier: 'flex' }, true)], { service_tier: 'flex' })).toEqual([
      'service_tier:flex',
    ]);
  });
});
