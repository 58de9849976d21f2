import { readFile } from 'node:fs/promises';
import type { Logger } from 'pino';
import { Problem } from '../../base/problem.js';
import { headerContext } from '../../byok/keys/host-headers.js';
import { createVault } from '../../byok/vault/vault.js';
import type { SealHeader } from '../../catalog/assembled/store.js';
import { DEFAULT_CATALOG_FILE } from '../../catalog/default.js';
import { importCatalog } from '../../catalog/importing/import.js';
import type { Gateway } from '../../compose/gateway.js';
import { type Config, ConfigError } from '../../config/config.js';
import { readNamedFile } from '../support/read-file.js';
import { findingLines, namingVoided } from '../support/rule-findings.js';

/** Retired models that the log names. */
const MAX_NAMED = 50;

/**
 * Imports the operator's catalogue if one is configured, else the packaged one if there is no catalogue at all. Logs what
 * that retires, and the rules that it leaves without effect. Throws ConfigError for an unusable file, and then changes
 * nothing.
 */
export async function prepareCatalog(
  gateway: Gateway,
  { catalogFile, regionHosts }: Pick<Config, 'catalogFile' | 'regionHosts'>,
  log: Pick<Logger, 'info' | 'warn'>,
): Promise<void> {
  const { stores, router, masterKeys } = gateway;
  if (catalogFile !== null) {
    const vault = createVault(masterKeys.keys);
    const [retired, voided] = await namingVoided(gateway, regionHosts.values(), () =>
      importConfigured(stores.catalog, catalogFile, (provider, name, value) =>
        vault.seal(value, headerContext(provider, name)),
      ),
    );
    if (retired.length > 0)
      log.info(
        { count: retired.length, first: retired.slice(0, MAX_NAMED) },
        'models that BYWAY_CATALOG lacks are retired',
      );
    for (const line of findingLines(voided)) log.warn(`BYWAY_CATALOG leaves a rule without effect: ${line}`);
    return;
  }
  const { providers, models } = await router.catalogs.current();
  if (providers.size > 0 || models.length > 0) return;
  await importCatalog(stores.catalog, await readFile(DEFAULT_CATALOG_FILE, 'utf8'), { merge: false });
}

/** Returns the ids of models that are retired. */
async function importConfigured(
  store: Gateway['stores']['catalog'],
  file: string,
  sealHeader: SealHeader,
): Promise<readonly string[]> {
  const text = await readNamedFile(file).catch(({ message }: Error) => {
    throw new ConfigError(`BYWAY_CATALOG: ${message}`);
  });
  try {
    return (await importCatalog(store, text, { merge: false, sealHeader })).retired;
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
