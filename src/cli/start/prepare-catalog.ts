import { readFile } from 'node:fs/promises';
import { Problem } from '../../base/problem.js';
import { headerContext } from '../../byok/keys/host-headers.js';
import { createVault } from '../../byok/vault/vault.js';
import type { SealHeader } from '../../catalog/assembled/store.js';
import { DEFAULT_CATALOG_FILE } from '../../catalog/default.js';
import { importCatalog } from '../../catalog/importing/import.js';
import type { Gateway } from '../../compose/gateway.js';
import { ConfigError } from '../../config/config.js';
import { readNamedFile } from '../support/read-file.js';

/**
 * Imports the operator's catalogue if one is configured, else the packaged one if there is no catalogue at all. Throws
 * ConfigError for an unusable file, and then changes nothing.
 */
export async function prepareCatalog(
  { stores, router, masterKeys }: Gateway,
  catalogFile: string | null,
): Promise<void> {
  if (catalogFile !== null) {
    const vault = createVault(masterKeys.keys);
    await importConfigured(stores.catalog, catalogFile, (provider, name, value) =>
      vault.seal(value, headerContext(provider, name)),
    );
    return;
  }
  const { providers, models } = await router.catalogs.current();
  if (providers.size > 0 || models.length > 0) return;
  await importCatalog(stores.catalog, await readFile(DEFAULT_CATALOG_FILE, 'utf8'), { merge: false });
}

async function importConfigured(
  store: Gateway['stores']['catalog'],
  file: string,
  sealHeader: SealHeader,
): Promise<void> {
  const text = await readNamedFile(file).catch(({ message }: Error) => {
    throw new ConfigError(`BYWAY_CATALOG: ${message}`);
  });
  try {
    await importCatalog(store, text, { merge: false, sealHeader });
  } catch (error) {
    if (!(error instanceof Problem) || error.reason !== 'invalid_request') throw error;
    const { field, message } = error.violations[0] ?? { field: '', message: error.message };
    const count = error.violations.length;
    const violation = field === '' ? message : `${field}: ${message}`;
    throw new ConfigError(
      `BYWAY_CATALOG: ${file} has ${count} ${count === 1 ? 'error' : 'errors'}, the first: ${violation}`,
    );
  }
}
