import type { CatalogFile, ModelInput } from '../input/catalog-file.js';
import { JsonReader } from '../input/json-reader.js';
import type { CatalogViolations } from '../input/violation-list.js';
import type { Provider } from '../types.js';
import { readModel } from './read-model.js';
import { ORIGINS, type Origin, readProvider } from './read-provider.js';
import { type NativeObject, writeModel, writeProvider } from './write.js';

export type { Origin } from './read-provider.js';
export { type NativeObject, writeModel, writeProvider } from './write.js';

/** An entry of a native file as it stands there. */
export interface NativeEntry<T> {
  readonly value: T;
  /** Whose entry it says it is; null = it does not say. */
  readonly origin: Origin | null;
  /** The members that it has, null ones too. */
  readonly said: NativeObject;
}

export interface NativeFile {
  readonly providers: readonly NativeEntry<Provider>[];
  readonly models: readonly NativeEntry<ModelInput>[];
}

/**
 * Reads a native catalogue document: `docs/catalog.md#the-native-file`. Collects violations of type, spelling and range
 * with their path; `checkCatalog` checks consistency. The result is only valid without violations.
 */
export function readNative(document: unknown, violations: CatalogViolations): NativeFile {
  const member = new JsonReader(document, '', violations).object(['providers', 'models']);
  return {
    providers: member('providers').list((at) => entryAt(at, readProvider)),
    models: member('models').list((at) => entryAt(at, readModel)),
  };
}

function entryAt<T>(at: JsonReader, read: (at: JsonReader) => T): NativeEntry<T> {
  const value = read(at);
  const said = typeof at.value === 'object' && at.value !== null ? { ...at.value } : {};
  const origin = ORIGINS.find((one) => 'origin' in said && one === said.origin) ?? null;
  return { value, origin, said };
}

/** Reads the stored document of a provider; violations are named by its slug. */
export function readNativeProvider(slug: string, document: unknown, violations: CatalogViolations): Provider {
  return readProvider(new JsonReader(document, `provider ${slug}`, violations));
}

/** Reads the stored document of a model; violations are named by its id. */
export function readNativeModel(id: string, document: unknown, violations: CatalogViolations): ModelInput {
  return readModel(new JsonReader(document, `model ${id}`, violations));
}

/**
 * The text of a native file (`catalog export`), with one provider or model per line for diffs. Importing it gives the
 * same catalogue. `marked`: every entry says whose it is; else only the operator's do.
 */
export function formatNative({ providers, models, own }: CatalogFile, hasOrigins = false): string {
  const originOf = (name: string) => {
    if (own?.has(name)) return { origin: 'operator' };
    return hasOrigins ? { origin: 'package' } : {};
  };
  const lines = {
    providers: providers.map((one) => JSON.stringify({ ...writeProvider(one), ...originOf(one.slug) })),
    models: models.map((one) => JSON.stringify({ ...writeModel(one), ...originOf(one.id) })),
  };
  return `{"providers":[\n${lines.providers.join(',\n')}\n],"models":[\n${lines.models.join(',\n')}\n]}\n`;
}
