import { describe, expect, it } from 'vitest';
import { importCatalog } from '../../src/catalog/importing/import.js';
import { formatNative } from '../../src/catalog/native/native.js';
import { createCatalogStore } from '../../src/store/tables/catalog-store.js';
import { demoModel, demoProvider } from '../support/catalog.js';
import { withDatabase } from '../support/database.js';
import { defaultFile, readChecked, violationsOf } from './catalog.fixture.js';

const PROVIDERS = [demoProvider('p'), demoProvider('q')];
const at = (provider: string, region?: string) => ({
  provider,
  upstream_model_id: 'echo',
  ...(region && { region }),
});
const model = (id: string, slug?: string) =>
  demoModel(id, ['p'], slug === undefined ? {} : { canonical_slug: slug });
const alias = (id: string, target: string, slug?: string) => ({
  id,
  alias_target: { slug: target },
  ...(slug !== undefined && { canonical_slug: slug }),
});

/** Two entries that would have a name in common; whatever else they refer to comes with both. */
const PAIRS: readonly (readonly [string, object, object])[] = [
  ['an id and a canonical slug', model('a/x'), model('a/y', 'a/x')],
  ['an id with another slug, and a canonical slug', model('a/x', 'a/z'), model('a/y', 'a/x')],
  ['two canonical slugs', model('a/x', 'a/s'), model('a/y', 'a/s')],
  ['an alias and a canonical slug', alias('a/x', 'a/other'), model('a/y', 'a/x')],
  ['the slug of an alias and an id', alias('~a/x', 'a/other', 'a/y'), model('a/y')],
  ['the slug of an alias and a canonical slug', alias('~a/x', 'a/other', 'a/s'), model('a/y', 'a/s')],
  ['the slugs of two aliases', alias('~a/x', 'a/other', 'a/s'), alias('~a/y', 'a/third', 'a/s')],
  ['endpoints, by a region', demoModel('a/x', [at('p', 'eu')]), demoModel('a/x@eu', [at('p')])],
  ['endpoints, by a number', demoModel('a/x', [at('p'), at('p')]), demoModel('a/x#2', [at('p')])],
];

const COMMON = [model('a/other'), model('a/third')];
const fileOf = (...models: object[]) => JSON.stringify({ providers: PROVIDERS, models });

describe('two things of the catalogue have no name in common', () => {
  describe.each(PAIRS)('%s', (_, first, second) => {
    it.each([
      ['one order', first, second],
      ['the other order', second, first],
    ])('are refused in one file, in %s', async (_order, one, other) => {
      const found = await violationsOf(() => readChecked(fileOf(...COMMON, one, other)));
      expect(found).toEqual([[expect.stringMatching(/^models\[[23]\]\./), 'duplicate']]);
    });

    it.each([
      ['the second is merged into the first', first, second],
      ['the first is merged into the second', second, first],
    ])('are refused where %s, and nothing is stored', async (_order, stored, merged) => {
      const store = createCatalogStore(await withDatabase(), { now: () => 1_800_000_000_000 });
      await importCatalog(store, fileOf(...COMMON, stored), { merge: false });
      const before = await store.load();
      const merging = () => importCatalog(store, fileOf(merged), { merge: true });
      expect(await violationsOf(merging)).toEqual([[expect.stringMatching(/^models\[0\]\./), 'duplicate']]);
      expect(await store.load()).toEqual(before);
    });
  });

  it('an alias may have the slug of its own target, and a model be replaced by itself', async () => {
    const store = createCatalogStore(await withDatabase(), { now: () => 1_800_000_000_000 });
    const file = fileOf(model('a/x', 'a/s'), alias('~a/x', 'a/x', 'a/s'), alias('~a/z', 'a/x', 'a/x'));
    await importCatalog(store, file, { merge: false });
    await importCatalog(store, file, { merge: true });
    expect((await store.load()).models).toHaveLength(3);
  });

  it('the packaged catalogue has none', async () => {
    expect(await violationsOf(() => readChecked(formatNative(defaultFile())))).toEqual([]);
  });

  it('says which name it is, and whose', async () => {
    const file = fileOf(demoModel('a/x', [at('p', 'eu'), at('q')]), demoModel('a/x@eu', [at('q'), at('p')]));
    await expect(async () => readChecked(file)).rejects.toThrow(
      'models[1].endpoints[1]: would have the id "p/a/x@eu", which an endpoint of a/x has',
    );
  });
});
