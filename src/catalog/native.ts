import type { CatalogFile, ModelInput } from './input/catalog-file.js';
import { JsonReader } from './input/json-reader.js';
import type { ViolationList } from './input/violation-list.js';
import { readModel } from './native/read-model.js';
import { readProvider } from './native/read-provider.js';
import { writeModel, writeProvider } from './native/write.js';
import type { Provider } from './types.js';

export { writeModel, writeProvider } from './native/write.js';

/**
 * Reads a native catalogue document: `docs/catalog.md#the-native-file`. Collects violations of type, spelling and range
 * with their path; `checkCatalog` checks consistency. The result is only valid without violations.
 */
export function readNative(document: unknown, violations: ViolationList): CatalogFile {
  const member = new JsonReader(document, '', violations).object(['providers', 'models']);
  return { providers: member('providers').list(readProvider), models: member('models').list(readModel) };
}

/** Reads the stored document of a provider; violations are named by its slug. */
export function readNativeProvider(slug: string, document: unknown, violations: ViolationList): Provider {
  return readProvider(new JsonReader(document, `provider ${slug}`, violations));
}

/** Reads the stored document of a model; violations are named by its id. */
export function readNativeModel(id: string, document: unknown, violations: ViolationList): ModelInput {
  return readModel(new JsonReader(document, `model ${id}`, violations));
}

/**
 * The text of a native file (`catalog export`), with one provider or model per line for diffs. Importing it gives the
 * same catalogue.
 */
export function formatNative(file: CatalogFile): string {
  const providers = file.providers.map((provider) => JSON.stringify(writeProvider(provider)));
  const models = file.models.map((model) => JSON.stringify(writeModel(model)));
  return `{"providers":[\n${providers.join(',\n')}\n],"models":[\n${models.join(',\n')}\n]}\n`;
}
