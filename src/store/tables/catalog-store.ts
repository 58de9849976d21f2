import type { Transaction } from 'kysely';
import type { Clock } from '../../base/clock.js';
import { Problem } from '../../base/problem.js';
import type { CatalogFile } from '../../catalog/input/catalog-file.js';
import { ViolationList } from '../../catalog/input/violation-list.js';
import { readNativeModel, readNativeProvider, writeModel, writeProvider } from '../../catalog/native.js';
import type { CatalogStore } from '../../catalog/store.js';
import type { Database } from '../database.js';
import type { Tables } from '../schema.js';

/** The catalogue in the database: one native document a row; a retired row keeps its document. */
export function createCatalogStore(database: Database, clock: Clock): CatalogStore {
  return {
    load: () => loadLive(database.query),
    replace: (decide) =>
      database.transact(['catalog'], async (tx) => {
        const next = decide(await loadLive(tx));
        await writeProviders(tx, next, clock.now());
        await writeModels(tx, next, clock.now());
      }),
    onChange: (listener) => database.onChange('catalog', listener),
  };
}

async function loadLive(query: Database['query'] | Transaction<Tables>): Promise<CatalogFile> {
  const providers = await query
    .selectFrom('catalog_provider')
    .select(['slug', 'document_json'])
    .where('retired_at', 'is', null)
    .orderBy('slug')
    .execute();
  const models = await query
    .selectFrom('catalog_model')
    .select(['id', 'document_json'])
    .where('retired_at', 'is', null)
    .orderBy('id')
    .execute();
  const violations = new ViolationList();
  const file: CatalogFile = {
    providers: providers.map((row) =>
      readNativeProvider(row.slug, JSON.parse(row.document_json), violations),
    ),
    models: models.map((row) => readNativeModel(row.id, JSON.parse(row.document_json), violations)),
  };
  try {
    violations.throwIfAny();
  } catch (cause) {
    throw new Problem('internal', 'The stored catalogue cannot be read', { cause });
  }
  return file;
}

async function writeProviders(tx: Transaction<Tables>, next: CatalogFile, now: number): Promise<void> {
  const stored = await tx.selectFrom('catalog_provider').selectAll().execute();
  const before = new Map(stored.map((row) => [row.slug, row]));
  const kept = new Set(next.providers.map((provider) => provider.slug));
  for (const provider of next.providers) {
    const document = JSON.stringify(writeProvider(provider));
    const row = before.get(provider.slug);
    if (row?.document_json === document && row.retired_at === null) continue;
    await tx
      .insertInto('catalog_provider')
      .values({ slug: provider.slug, document_json: document, retired_at: null })
      .onConflict((conflict) =>
        conflict.column('slug').doUpdateSet({ document_json: document, retired_at: null }),
      )
      .execute();
  }
  for (const row of stored) {
    if (kept.has(row.slug) || row.retired_at !== null) continue;
    await tx.updateTable('catalog_provider').set({ retired_at: now }).where('slug', '=', row.slug).execute();
  }
}

async function writeModels(tx: Transaction<Tables>, next: CatalogFile, now: number): Promise<void> {
  const stored = await tx.selectFrom('catalog_model').selectAll().execute();
  const before = new Map(stored.map((row) => [row.id, row]));
  const kept = new Set(next.models.map((model) => model.id));
  for (const model of next.models) {
    const document = JSON.stringify(writeModel(model));
    const row = before.get(model.id);
    if (row?.document_json === document && row.retired_at === null) continue;
    await tx
      .insertInto('catalog_model')
      .values({ id: model.id, document_json: document, retired_at: null })
      .onConflict((conflict) =>
        conflict.column('id').doUpdateSet({ document_json: document, retired_at: null }),
      )
      .execute();
  }
  for (const row of stored) {
    if (kept.has(row.id) || row.retired_at !== null) continue;
    await tx.updateTable('catalog_model').set({ retired_at: now }).where('id', '=', row.id).execute();
  }
}
