import { describe, expect, it } from 'vitest';
import { createCatalogCache } from '../../src/catalog/assembled/catalog.js';
import { importCatalog } from '../../src/catalog/importing/import.js';
import { formatNative } from '../../src/catalog/native/native.js';
import { createCatalogStore } from '../../src/store/tables/catalog-store.js';
import { openDuringTest, temporaryDatabaseUrl, withDatabase } from '../support/database.js';
import { defaultFile, fixture, readChecked, violationsOf } from './catalog.fixture.js';

const NATIVE = fixture('native.json');
const CLOCK = { now: () => 1_800_000_000_000 };
const SMALL = {
  providers: [],
  models: [
    {
      id: 'acme/tiny',
      name: 'Tiny',
      created: 1,
      architecture: { input_modalities: ['text'], output_modalities: ['text'] },
      endpoints: [{ provider: 'acme', upstream_model_id: 'tiny', pricing: { prompt: 0, completion: 0 } }],
    },
    { id: '~acme/old', alias_target: { slug: 'acme/big' } },
  ],
};

async function openStore() {
  const database = await withDatabase();
  const store = createCatalogStore(database, CLOCK);
  return { database, store, ids: async () => (await store.load()).models.map((model) => model.id) };
}

describe('catalog import', () => {
  it('stores the content of the file, and export returns it', async () => {
    const { store } = await openStore();
    expect(await importCatalog(store, NATIVE, { merge: false })).toEqual({
      format: 'native',
      providers: 3,
      models: 3,
      endpoints: 6,
      retired: [],
      skipped: {},
      warnings: [],
    });
    expect(await store.load()).toEqual(readChecked(NATIVE));
    expect(readChecked(formatNative(await store.load()))).toEqual(readChecked(NATIVE));
  });

  it('takes the packaged catalogue and both models.dev files', async () => {
    const { store } = await openStore();
    await importCatalog(store, formatNative(defaultFile()), { merge: false });
    expect(new Set((await store.load()).models)).toEqual(new Set(defaultFile().models));
    const summary = await importCatalog(store, fixture('models-dev.json'), { merge: false });
    expect(summary).toMatchObject({ format: 'models.dev', skipped: { no_price: 1 } });
    expect(summary.retired).toContain('demo/echo');
  });

  it('retires what is missing in the file and keeps its row; a later import restores it', async () => {
    const { database, store, ids } = await openStore();
    await importCatalog(store, NATIVE, { merge: false });
    const summary = await importCatalog(store, fixture('models-dev.json'), { merge: false });
    expect(summary.retired).toEqual(['acme/big', 'acme/small', '~acme/latest']);
    expect(await ids()).not.toContain('acme/big');
    const row = await database.query
      .selectFrom('catalog_model')
      .selectAll()
      .where('id', '=', 'acme/big')
      .execute();
    expect(row[0]?.retired_at).toBe(CLOCK.now());
    await importCatalog(store, NATIVE, { merge: false });
    expect(await store.load()).toEqual(readChecked(NATIVE));
  });

  it('with merge only adds and updates, and may refer to what is stored', async () => {
    const { store, ids } = await openStore();
    await importCatalog(store, NATIVE, { merge: false });
    const summary = await importCatalog(store, JSON.stringify(SMALL), { merge: true });
    expect(summary.retired).toEqual([]);
    expect(await ids()).toEqual(['acme/big', 'acme/small', 'acme/tiny', '~acme/latest', '~acme/old']);
    const stricter = { providers: [{ slug: 'acme', name: 'Acme', adapter: 'openai' }], models: [] };
    await importCatalog(store, JSON.stringify(stricter), { merge: true });
    const cache = createCatalogCache(store);
    const acme = (await cache.current())
      .resolve('acme/big')
      ?.model.endpoints.find((one) => one.provider === 'acme');
    expect(acme?.dataPolicy).toEqual({ zdr: false, dataCollection: true });
    cache.close();
  });

  it('of an invalid file changes nothing, and reports its violations', async () => {
    const { store } = await openStore();
    await importCatalog(store, NATIVE, { merge: false });
    expect(await violationsOf(() => importCatalog(store, JSON.stringify(SMALL), { merge: false }))).toEqual([
      ['models[0].endpoints[0].provider', 'unknown_provider'],
      ['models[1].alias_target.slug', 'unknown_model'],
    ]);
    const aliasOfAlias = {
      providers: [],
      models: [{ id: 'acme/big', alias_target: { slug: 'acme/small' } }],
    };
    expect(
      await violationsOf(() => importCatalog(store, JSON.stringify(aliasOfAlias), { merge: true })),
    ).toEqual([['models[0].alias_target', 'alias']]);
    expect(await store.load()).toEqual(readChecked(NATIVE));
  });
});

describe('the cached catalogue', () => {
  it('is new after an import and the same object otherwise', async () => {
    const { store } = await openStore();
    const cache = createCatalogCache(store);
    const empty = await cache.current();
    expect(empty.models).toEqual([]);
    expect(await cache.current()).toBe(empty);
    await importCatalog(store, NATIVE, { merge: false });
    const full = await cache.current();
    expect(full.models).toHaveLength(3);
    expect(full.version).toBeGreaterThan(empty.version);
    cache.close();
  });

  it('follows an import by another process', async () => {
    const url = await temporaryDatabaseUrl();
    const here = createCatalogStore(await openDuringTest(url), CLOCK);
    const there = createCatalogStore(await openDuringTest(url), CLOCK);
    const cache = createCatalogCache(here);
    await cache.current();
    const changed = new Promise<void>((resolve) => here.onChange(resolve));
    await importCatalog(there, NATIVE, { merge: false });
    await changed;
    expect((await cache.current()).models).toHaveLength(3);
    cache.close();
  });

  it('retries a failed load', async () => {
    const { store } = await openStore();
    let failures = 1;
    const cache = createCatalogCache({
      ...store,
      load: () => (failures-- > 0 ? Promise.reject(new Error('no database')) : store.load()),
    });
    await expect(cache.current()).rejects.toThrow('no database');
    expect((await cache.current()).models).toEqual([]);
    cache.close();
  });
});
