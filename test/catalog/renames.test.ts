/** docs/catalog.md#renamed-models. */
import { describe, expect, it } from 'vitest';
import { createCatalog } from '../../src/catalog/assembled/catalog.js';
import { importCatalog } from '../../src/catalog/importing/import.js';
import type { CatalogFile } from '../../src/catalog/input/catalog-file.js';
import { formatNative } from '../../src/catalog/native/native.js';
import { createCatalogStore } from '../../src/store/tables/catalog-store.js';
import { withDatabase } from '../support/database.js';
import { fixture } from './catalog.fixture.js';

const LIST = fixture('models-dev.json');

/** A catalogue with the list's models, of which one had another id. */
async function stored(oldId: string) {
  const store = createCatalogStore(await withDatabase(), { now: () => 1_800_000_000_000 });
  await importCatalog(store, LIST, { merge: false });
  const file = await store.load();
  const [model] = file.models.filter(
    ({ endpoints, aliasTarget }) => endpoints.length > 0 && aliasTarget === null,
  );
  const newId = model?.id ?? '';
  const renamed = (name: string | null) => (name === newId ? oldId : name);
  const before: CatalogFile = {
    ...file,
    models: file.models.map((one) => ({
      ...one,
      id: renamed(one.id) ?? '',
      canonicalSlug: renamed(one.canonicalSlug),
      aliasTarget: renamed(one.aliasTarget),
    })),
  };
  await importCatalog(store, formatNative(before), { merge: false });
  const catalog = async () => createCatalog(await store.load(), 1);
  return { store, newId, catalog };
}

describe('a public list that renames a model', () => {
  it('makes the old id an alias of the new one, and says so', async () => {
    const { store, newId, catalog } = await stored('acme/old-name');
    expect((await catalog()).resolve(newId)?.model.id).not.toBe(newId);
    const summary = await importCatalog(store, LIST, { merge: false });
    expect(summary).toMatchObject({ renamed: { 'acme/old-name': newId }, retired: [] });
    expect((await catalog()).resolveId('acme/old-name')).toBe(newId);
  });

  it('and later imports keep the alias, and follow another rename', async () => {
    const { store, newId, catalog } = await stored('acme/old-name');
    await importCatalog(store, LIST, { merge: false });
    expect((await importCatalog(store, LIST, { merge: false })).retired).toEqual([]);
    expect((await catalog()).resolveId('acme/old-name')).toBe(newId);
  });

  it('retires a model whose endpoints are gone, or are under several ids', async () => {
    const { store, catalog } = await stored('acme/old-name');
    const gone = await store.load();
    const models = gone.models.map((one) =>
      one.id === 'acme/old-name'
        ? { ...one, endpoints: one.endpoints.map((e) => ({ ...e, upstreamModelId: 'nowhere' })) }
        : one,
    );
    await importCatalog(store, formatNative({ ...gone, models }), { merge: false });
    const summary = await importCatalog(store, LIST, { merge: false });
    expect(summary.retired).toContain('acme/old-name');
    expect(summary.renamed).toBeUndefined();
    expect((await catalog()).resolve('acme/old-name')).toBeUndefined();
  });
});
