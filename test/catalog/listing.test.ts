import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareDecimals } from '../../src/base/money.js';
import { createCatalog } from '../../src/catalog/assembled/catalog.js';
import { listModels, visibleEndpoints } from '../../src/catalog/assembled/listing.js';
import { sortingPrice } from '../../src/catalog/price.js';
import type { Provider } from '../../src/catalog/types.js';
import { hiddenReason, UNFILTERED, type Visibility } from '../../src/catalog/visibility.js';
import { defaultFile, fixtureCatalog } from './catalog.fixture.js';

const catalog = fixtureCatalog('native.json');
const whole = createCatalog(defaultFile(), 1);

function listed(visibility: Partial<Visibility>) {
  return listModels(catalog, { ...UNFILTERED, ...visibility });
}

describe('the model list', () => {
  it('shows the best visible endpoint: price, limits, and the union of parameters', () => {
    expect(listed({})).toMatchObject([
      {
        id: 'acme/big',
        contextLength: 200000,
        pricing: { prices: { prompt: '0.000001' } },
        topProvider: { isModerated: false, contextLength: 100000, maxCompletionTokens: null },
        supportedParameters: ['temperature', 'seed', 'tools'],
        aliasTarget: null,
        links: { details: '/api/v1/models/acme/big/endpoints' },
      },
      {
        id: 'acme/small',
        pricing: { prices: { prompt: '0.0000001' } },
        topProvider: { contextLength: null },
      },
      {
        id: '~acme/latest',
        name: 'Acme (latest)',
        pricing: { prices: { prompt: '0.000001' } },
        aliasTarget: { slug: 'acme/big', name: 'Big' },
        links: { details: '/api/v1/models/~acme/latest/endpoints' },
      },
    ]);
    const [big] = listed({ preferenceIgnoredProviders: ['bolt'] });
    expect(big).toMatchObject({
      pricing: { prices: { prompt: '0.000003' } },
      topProvider: { isModerated: true, contextLength: 200000, maxCompletionTokens: 8192 },
      supportedParameters: ['temperature', 'tools'],
    });
  });

  it.each<[Partial<Visibility>, string[]]>([
    [{ zdr: true }, ['acme/big', 'acme/small', '~acme/latest']],
    [{ zdr: true, denyDataCollection: true, preferenceIgnoredProviders: ['acme'] }, []],
    [{ region: 'eu' }, ['acme/big', 'acme/small', '~acme/latest']],
    [{ region: 'us' }, ['acme/big', '~acme/latest']],
    [{ region: 'ap' }, []],
    [{ guardrailAllowedModels: [['acme/small', 'acme/big'], ['acme/small']] }, ['acme/small']],
    [{ guardrailIgnoredModels: ['acme/big'] }, ['acme/small']],
    [{ guardrailAllowedProviders: [['core']] }, ['acme/small']],
    [{ guardrailIgnoredProviders: ['acme', 'core'] }, ['acme/big', '~acme/latest']],
    [{ preferenceAllowedProviders: ['bolt'] }, ['acme/big', '~acme/latest']],
    [{ preferenceAllowedProviders: [] }, []],
  ])('under %j lists %j', (visibility, ids) => {
    expect(listed(visibility).map((model) => model.id)).toEqual(ids);
  });

  it('has one reason for a hidden endpoint, the first in the order of evaluation', () => {
    const core = catalog.resolve('acme/small')?.model.endpoints[0];
    const provider = catalog.providers.get('core');
    if (core === undefined || provider === undefined) throw new Error('fixture');
    const strict = {
      ...UNFILTERED,
      zdr: true,
      denyDataCollection: true,
      region: 'eu',
      preferenceAllowedProviders: [],
    };
    const reason = (change: Partial<Visibility>) => hiddenReason(core, provider, { ...strict, ...change });
    expect(hiddenReason({ ...core, status: 'disabled' }, provider, strict)).toBe('endpoint_disabled');
    expect(
      hiddenReason({ ...core, dataPolicy: { zdr: false, dataCollection: true } }, provider, strict),
    ).toBe('data_policy_zdr');
    expect(reason({})).toBe('data_policy_collection');
    expect(reason({ denyDataCollection: false })).toBe('region');
    expect(reason({ denyDataCollection: false, region: 'global' })).toBe('preference_provider');
    expect(hiddenReason(core, provider, UNFILTERED)).toBeNull();
  });

  it('takes an endpoint without a region to run in all of its provider’s, which must all lie in the requested one', () => {
    const small = catalog.resolve('acme/small')?.model.endpoints[1];
    const acme = catalog.providers.get('acme');
    if (small === undefined || acme === undefined) throw new Error('fixture');
    const european: Provider = { ...acme, regions: ['eu-north-1', 'europe-west1'] };
    const wide: Provider = { ...acme, regions: ['us', 'europe-west1'] };
    expect(hiddenReason(small, european, { ...UNFILTERED, region: 'eu' })).toBeNull();
    expect(hiddenReason(small, wide, { ...UNFILTERED, region: 'eu' })).toBe('region');
    expect(hiddenReason({ ...small, region: 'eu' }, wide, { ...UNFILTERED, region: 'eu' })).toBeNull();
  });
});

const slugs = [...whole.providers.keys()];
const ids = whole.models.map((model) => model.id);
const fewProviders = fc.subarray(slugs, { maxLength: 6 });
const manyProviders = fc.subarray(slugs, { minLength: 12 });
const seldom = fc.integer({ min: 0, max: 5 }).map((number) => number === 0);
const anyVisibility: fc.Arbitrary<Visibility> = fc.record({
  hasSharedCapacity: fc.constant(true),
  zdr: seldom,
  denyDataCollection: seldom,
  isRegionAdmitted: seldom.map((refused) => !refused),
  region: fc.constantFrom('global', 'global', 'global', 'eu', 'us', 'jp'),
  guardrailAllowedModels: fc.array(fc.subarray(ids, { minLength: 100 }), { maxLength: 1 }),
  guardrailIgnoredModels: fc.subarray(ids, { maxLength: 100 }),
  guardrailAllowedProviders: fc.array(manyProviders, { maxLength: 2 }),
  guardrailIgnoredProviders: fewProviders,
  preferenceAllowedProviders: fc.option(manyProviders),
  preferenceIgnoredProviders: fewProviders,
});

describe('a hidden endpoint', () => {
  it('never decides price, limits or parameters, and never changes the order', () => {
    const order = listModels(whole, UNFILTERED).map((model) => model.id);
    let partly = 0;
    fc.assert(
      fc.property(anyVisibility, (visibility) => {
        const list = listModels(whole, visibility);
        const shown = new Set(list.map((model) => model.id));
        expect([...shown]).toEqual(order.filter((id) => shown.has(id)));
        for (const record of list) {
          const target = whole.resolve(record.id)?.model;
          const left = target === undefined ? [] : visibleEndpoints(whole, target, visibility);
          if (left.length < (target?.endpoints.length ?? 0)) partly++;
          expect(left.some((one) => one.pricing === record.pricing)).toBe(true);
          for (const one of left) {
            expect(
              compareDecimals(sortingPrice(record.pricing), sortingPrice(one.pricing)),
            ).toBeLessThanOrEqual(0);
          }
          const parameters = new Set(left.flatMap((one) => one.supportedParameters));
          expect(new Set(record.supportedParameters)).toEqual(parameters);
        }
      }),
      { numRuns: 40 },
    );
    expect(partly).toBeGreaterThan(100);
  });

  it('is all that another filter removes', () => {
    fc.assert(
      fc.property(anyVisibility, fewProviders, (visibility, ignored) => {
        const before = new Set(listModels(whole, visibility).map((model) => model.id));
        const stricter = {
          ...visibility,
          zdr: true,
          preferenceIgnoredProviders: [...visibility.preferenceIgnoredProviders, ...ignored],
        };
        for (const model of listModels(whole, stricter)) expect(before.has(model.id)).toBe(true);
      }),
      { numRuns: 40 },
    );
  });
});
