import { describe, expect, it } from 'vitest';
import { createCatalog } from '../../src/catalog/assembled/catalog.js';
import { regionCovers } from '../../src/catalog/visibility.js';
import { defaultFile, fixtureCatalog, readChecked } from './catalog.fixture.js';

const catalog = fixtureCatalog('native.json');

describe('a catalogue', () => {
  it('routes models by id, canonical slug and alias', () => {
    const big = catalog.resolve('acme/big');
    expect(big).toMatchObject({ model: { id: 'acme/big' }, alias: null });
    expect(catalog.resolve('acme/big-2026-01')).toEqual(big);
    expect(catalog.resolve('~acme/latest')).toEqual({
      model: big?.model,
      alias: expect.objectContaining({ id: '~acme/latest' }),
    });
    expect(catalog.resolve('acme/none')).toBeUndefined();
    expect(catalog.resolveId('~acme/latest')).toBe('acme/big');
    expect(catalog.resolveId('acme/none')).toBe('acme/none');
  });

  it('never lets the slug of an alias hide a model', () => {
    const file = readChecked(
      JSON.stringify({
        providers: [],
        models: [
          { id: '~a/l', canonical_slug: 'a/x-1', alias_target: { slug: 'a/x' } },
          {
            id: 'a/x',
            canonical_slug: 'a/x-1',
            name: 'X',
            created: 1,
            architecture: { input_modalities: ['text'], output_modalities: ['text'] },
            endpoints: [],
          },
        ],
      }),
    );
    expect(createCatalog(file, 1).resolve('a/x-1')?.alias).toBeNull();
  });

  it('suggests ids near a mistyped one, with and without its author', () => {
    expect(catalog.nearestModelIds('acme/bigg')[0]).toBe('acme/big');
    expect(catalog.nearestModelIds('smal')[0]).toBe('acme/small');
    expect(catalog.nearestModelIds('utterly-different-name')).toEqual([]);
    expect(createCatalog(defaultFile(), 1).nearestModelIds('openai/gpt5.4')[0]).toBe('openai/gpt-5.4');
  });

  it('lists its models by `created` descending, then id', () => {
    expect(catalog.models.map((model) => model.id)).toEqual(['acme/big', 'acme/small', '~acme/latest']);
  });

  it('gives an alias the data of its target, and no endpoints', () => {
    const [big, , alias] = catalog.models;
    expect(alias).toEqual({
      ...big,
      id: '~acme/latest',
      canonicalSlug: '~acme/latest',
      name: 'Acme (latest)',
      aliasTarget: 'acme/big',
      endpoints: [],
    });
  });

  it('ranks elo within arena and category, 1 the highest', () => {
    expect(catalog.resolve('acme/small')?.model.benchmarks?.arenaRankings[0]?.rank).toBe(1);
    expect(catalog.resolve('acme/big')?.model.benchmarks?.arenaRankings[0]?.rank).toBe(2);
  });

  it('gives endpoints unique ids and their model’s data, cheapest first', () => {
    const small = catalog.resolve('acme/small')?.model;
    expect(small?.endpoints.map((one) => [one.id, one.upstreamModelId, one.pricing.prices.prompt])).toEqual([
      ['core/acme/small', 'small', '0.00000005'],
      ['acme/acme/small', 'small-a', '0.0000001'],
      ['acme/acme/small#2', 'small-b', '0.0000001'],
    ]);
    const big = catalog.resolve('acme/big')?.model;
    expect(big?.endpoints.map((one) => [one.id, one.contextLength, one.supportedParameters])).toEqual([
      ['core/acme/big', 200000, ['temperature', 'tools']],
      ['bolt/acme/big@us-east-1', 100000, ['temperature', 'seed']],
      ['acme/acme/big', 200000, ['temperature', 'tools']],
    ]);
  });

  it('merges data policies member by member; without one nothing is promised', () => {
    const big = catalog.resolve('acme/big')?.model;
    expect(big?.endpoints.map((one) => [one.provider, one.dataPolicy])).toEqual([
      ['core', { zdr: true, dataCollection: true }],
      ['bolt', { zdr: false, dataCollection: false }],
      ['acme', { zdr: true, dataCollection: false }],
    ]);
  });
});

describe('a region covers itself and its parts', () => {
  it.each([
    ['eu', 'eu', true],
    ['eu', 'eu-west-1', true],
    ['eu', 'europe-west4', true],
    ['eu', 'eur', false],
    ['eu', 'us-east-1', false],
    ['us', 'us-east-1', true],
    ['us', 'us', true],
    ['us', 'use', false],
    ['ap-southeast', 'ap-southeast-2', true],
    ['us-east-1', 'us', false],
    ['eu', null, false],
    ['global', null, true],
    ['global', 'eu', true],
  ])('%s and %s: %s', (wanted, place, expected) => {
    expect(regionCovers(wanted, place)).toBe(expected);
  });
});
