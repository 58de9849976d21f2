import type { Transaction } from 'kysely';
import type { Clock } from '../../base/clock.js';
import { Problem } from '../../base/problem.js';
import type { CatalogStore, SealHeader } from '../../catalog/assembled/store.js';
import type { CatalogFile } from '../../catalog/input/catalog-file.js';
import { SECRET } from '../../catalog/input/catalog-file.js';
import { CatalogViolations } from '../../catalog/input/violation-list.js';
import {
  readNativeModel,
  readNativeProvider,
  writeModel,
  writeProvider,
} from '../../catalog/native/native.js';
import type { Provider } from '../../catalog/types.js';
import type { Database } from '../database/database.js';
import type { Tables } from '../schema/schema.js';
import { toSealedColumns } from '../schema/sealed-columns.js';

/** Stores one document per row, in the native format. A retired row keeps its document. */
export function createCatalogStore(database: Database, clock: Clock): CatalogStore {
  return {
    load: () => loadLive(database.query),
    replace: (decide, sealHeader) =>
      database.transact(['catalog', 'byok'], async (tx) => {
        const next = decide(await loadLive(tx));
        await writeHeaders(tx, next.providers, sealHeader);
        await writeProviders(tx, next, clock.now());
        await writeModels(tx, next, clock.now());
      }),
    onChange: (listener) => database.onChange('catalog', listener),
  };
}

async function loadLive(query: Database['query'] | Transaction<Tables>): Promise<CatalogFile> {
  const providers = await query
    .selectFrom('catalog_provider')
    .select(['slug', 'document_json', 'origin'])
    .where('retired_at', 'is', null)
    .orderBy('slug')
    .execute();
  const models = await query
    .selectFrom('catalog_model')
    .select(['id', 'document_json', 'origin'])
    .where('retired_at', 'is', null)
    .orderBy('id')
    .execute();
  const violations = new CatalogViolations();
  const file: CatalogFile = {
    providers: providers.map((row) =>
      readNativeProvider(row.slug, JSON.parse(row.document_json), violations),
    ),
    models: models.map((row) => readNativeModel(row.id, JSON.parse(row.document_json), violations)),
    ...ownOf([
      ...providers.map(({ slug, origin }) => ({ name: slug, origin })),
      ...models.map(({ id, origin }) => ({ name: id, origin })),
    ]),
  };
  try {
    violations.throwIfAny();
  } catch (cause) {
    throw new Problem('internal', 'The stored catalogue cannot be read', { cause });
  }
  return file;
}

function ownOf(
  rows: readonly { readonly name: string; readonly origin: string }[],
): Pick<CatalogFile, 'own'> {
  const own = rows.filter(({ origin }) => origin === 'operator').map(({ name }) => name);
  return own.length === 0 ? {} : { own: new Set(own) };
}

function originOf(name: string, { own }: CatalogFile): 'operator' | 'package' {
  return own?.has(name) ? 'operator' : 'package';
}

/** Stores the values that are said, keeps those that read `SECRET`, and deletes the others. */
async function writeHeaders(
  tx: Transaction<Tables>,
  providers: readonly Provider[],
  sealHeader: SealHeader | undefined,
): Promise<void> {
  const stored = await tx.selectFrom('provider_header').select('id').execute();
  const left = new Set(stored.map(({ id }) => id));
  for (const { slug, headers = {} } of providers) {
    for (const [name, value] of Object.entries(headers)) {
      const id = `${slug}:${name.toLowerCase()}`;
      left.delete(id);
      if (value === SECRET) continue;
      if (sealHeader === undefined) throw new Error('values of headers cannot be sealed here');
      const row = { provider: slug, name, ...toSealedColumns(sealHeader(slug, name, value)) };
      await tx
        .insertInto('provider_header')
        .values({ id, ...row })
        .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
        .execute();
    }
  }
  for (const id of left) await tx.deleteFrom('provider_header').where('id', '=', id).execute();
}

function documentOf(provider: Provider): string {
  const { headers = {} } = provider;
  const names = Object.keys(headers).map((name) => [name, SECRET]);
  const stored = names.length === 0 ? provider : { ...provider, headers: Object.fromEntries(names) };
  return JSON.stringify(writeProvider(stored));
}

async function writeProviders(tx: Transaction<Tables>, next: CatalogFile, now: number): Promise<void> {
  const stored = await tx.selectFrom('catalog_provider').selectAll().execute();
  const before = new Map(stored.map((row) => [row.slug, row]));
  const live = new Set(next.providers.map((provider) => provider.slug));
  for (const provider of next.providers) {
    const document = documentOf(provider);
    const origin = originOf(provider.slug, next);
    const row = before.get(provider.slug);
    if (row?.document_json === document && row.origin === origin && row.retired_at === null) continue;
    await tx
      .insertInto('catalog_provider')
      .values({ slug: provider.slug, document_json: document, origin, retired_at: null })
      .onConflict((conflict) =>
        conflict.column('slug').doUpdateSet({ document_json: document, origin, retired_at: null }),
      )
      .execute();
  }
  for (const row of stored) {
    if (live.has(row.slug) || row.retired_at !== null) continue;
    await tx.updateTable('catalog_provider').set({ retired_at: now }).where('slug', '=', row.slug).execute();
  }
}

async function writeModels(tx: Transaction<Tables>, next: CatalogFile, now: number): Promise<void> {
  const stored = await tx.selectFrom('catalog_model').selectAll().execute();
  const before = new Map(stored.map((row) => [row.id, row]));
  const live = new Set(next.models.map((model) => model.id));
  for (const model of next.models) {
    const document = JSON.stringify(writeModel(model));
    const origin = originOf(model.id, next);
    const row = before.get(model.id);
    if (row?.document_json === document && row.origin === origin && row.retired_at === null) continue;
    await tx
      .insertInto('catalog_model')
      .values({ id: model.id, document_json: document, origin, retired_at: null })
      .onConflict((conflict) =>
        conflict.column('id').doUpdateSet({ document_json: document, origin, retired_at: null }),
      )
      .execute();
  }
  for (const row of stored) {
    if (live.has(row.id) || row.retired_at !== null) continue;
    await tx.updateTable('catalog_model').set({ retired_at: now }).where('id', '=', row.id).execute();
  }
}
