import { describe, expect, it } from 'vitest';
import { createKnownNames, unknownNameViolations } from '../../src/accounts/known-names.js';
import type { Catalog } from '../../src/catalog/assembled/catalog.js';

/** The parts of a catalogue that names are collected from. */
const catalog = {
  providers: new Map([
    ['alpha', { regions: ['eu', 'us'] }],
    ['beta', { regions: [] }],
  ]),
  models: [{ endpoints: [{ region: null }, { region: 'eu-west-1' }] }, { endpoints: [{ region: 'jp' }] }],
} as unknown as Catalog;

const namesOf = createKnownNames(['ch', 'eu']);

describe('the names that restrictions and preferences may list', () => {
  it('are the providers of the catalogue, and the regions of providers, endpoints and hosts', () => {
    const { providers, regions } = namesOf(catalog);
    expect([...providers].sort()).toEqual(['alpha', 'beta']);
    expect([...regions].sort()).toEqual(['ch', 'eu', 'eu-west-1', 'global', 'jp', 'us']);
  });

  it('are collected once for a catalogue', () => {
    expect(namesOf(catalog)).toBe(namesOf(catalog));
    expect(namesOf({ ...catalog, models: [] }).regions.has('jp')).toBe(false);
  });

  it('an unknown one is named by its place, with the nearest that is known', () => {
    const sent = {
      allowedProviders: ['alpha', 'alhpa'],
      ignoredProviders: ['beta', 'gamma'],
      allowedDataRegions: ['eu', 'mars'],
    };
    expect(unknownNameViolations(sent, namesOf(catalog))).toEqual([
      {
        field: 'allowed_providers[1]',
        rule: 'known',
        message: 'is not a known provider; did you mean alpha?',
      },
      { field: 'ignored_providers[1]', rule: 'known', message: expect.stringContaining('provider') },
      { field: 'allowed_data_regions[1]', rule: 'known', message: expect.stringContaining('region') },
    ]);
  });

  it('none is unknown in lists that are empty, cleared or not sent', () => {
    const sent = { allowedProviders: [], ignoredProviders: null };
    expect(unknownNameViolations(sent, namesOf(catalog))).toEqual([]);
  });

  it('what is no name at all is left to the rule of names, and the first hundred of a list are told', () => {
    const names = Array.from({ length: 150 }, (_, index) => `p${index}`);
    const told = unknownNameViolations({ allowedProviders: ['', ...names] }, namesOf(catalog));
    expect(told).toHaveLength(100);
    expect(told[0]?.field).toBe('allowed_providers[1]');
  });
});
