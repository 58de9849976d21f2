import type { CatalogFile, ModelInput } from './input/input.js';
import { JsonReader } from './input/json-reader.js';
import type { ViolationList } from './input/violations.js';
import { readModel } from './native/read-model.js';
import { readProvider } from './native/read-provider.js';
import { writeModel, writeProvider } from './native/write.js';
import type { Provider } from './types.js';

export { writeModel, writeProvider } from './native/write.js';

/**
 * Reads a native catalogue document (interface section 7). Faults of type, spelling and range are noted with their
 * path; whether the parts fit each other is `checkCatalog`'s question. The result counts only when no fault was
 * noted.
 */
export function readNative(document: unknown, violations: ViolationList): CatalogFile {
  const member = new JsonReader(document, '', violations).object(['providers', 'models']);
  return { providers: member('providers').list(readProvider), models: member('models').list(readModel) };
}

/** Reads the stored document of a provider; faults are noted at its slug. */
export function readNativeProvider(slug: string, document: unknown, violations: ViolationList): Provider {
  return readProvider(new JsonReader(document, `provider ${slug}`, violations));
}

/** Reads the stored document of a model; faults are noted at its id. */
export function readNativeModel(id: string, document: unknown, violations: ViolationList): ModelInput {
  return readModel(new JsonReader(document, `model ${id}`, violations));
}

/**
 * The catalogue as the text of a native file (`catalog export`), one provider or model a line, so that versions of it
 * can be compared. Read again it gives the same catalogue.
 */
export function formatNative(file: CatalogFile): string {
  const providers = file.providers.map((provider) => JSON.stringify(writeProvider(provider)));
  const models = file.models.map((model) => JSON.stringify(writeModel(model)));
  return `{"providers":[\n${providers.join(',\n')}\n],"models":[\n${models.join(',\n')}\n]}\n`;
}
