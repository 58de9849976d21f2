import { systemClock } from '../base/clock.js';
import { systemIds } from '../base/ids.js';
import { Problem } from '../base/problem.js';
import { type SealedReader, unreadableRecords } from '../byok/sealed-records.js';
import { createVault } from '../byok/vault.js';
import { checkCatalog } from '../catalog/check.js';
import { Faults } from '../catalog/faults.js';
import { EMPTY_CATALOG } from '../catalog/stated.js';
import type { CatalogStore } from '../catalog/store.js';
import type { Config } from '../config.js';
import type { Database } from '../store/database.js';
import { chargeFaults, sectionFaults, workspaceFaults } from '../store/invariants.js';
import { databaseState, openDatabase } from '../store/open.js';
import { createStores } from '../store/stores.js';
import { totalsFaults } from '../store/totals.js';
import { type Check, faultsCheck } from './check.js';
import { masterKeySource } from './master-key-source.js';

/** Every check of `byway db check`, in order. Only a database whose schema is up to date is looked into. */
export async function checkDatabase(config: Config): Promise<Check[]> {
  const schema = await checkSchema(config.databaseUrl);
  if (schema.status === 'fail') return [schema];
  const database = await openDatabase(config.databaseUrl);
  try {
    return [schema, ...(await checkContents(database, config))];
  } finally {
    await database.close();
  }
}

/** Whether the database is there and up to date. */
async function checkSchema(databaseUrl: string): Promise<Check> {
  const { exists, pending, foreign } = await databaseState(databaseUrl);
  if (!exists) return faultsCheck('schema', ['there is no database yet; a start makes it'], '');
  const faults = [
    ...foreign.map((name) => `a newer version of Byway has written it (migration ${name})`),
    ...pending.map((name) => `lacks migration ${name}; "byway db migrate" applies it`),
  ];
  return faultsCheck('schema', faults, 'up to date');
}

async function checkContents(database: Database, config: Config): Promise<Check[]> {
  const stores = createStores(database, { clock: systemClock, ids: systemIds });
  return [
    faultsCheck('integrity', await database.faults(), 'no damage, no reference to nothing'),
    faultsCheck('workspaces', await workspaceFaults(database), 'one default workspace for each account'),
    faultsCheck('sections', await sectionFaults(database), 'keys stand at 0..n-1 in each section'),
    faultsCheck('totals', await totalsFaults(database), 'equal the ledger and the open reservations'),
    faultsCheck('charges', await chargeFaults(database), 'each generation is charged once, as it says'),
    faultsCheck('credentials', await credentialFaults(stores.credentials, config), 'all of them open'),
    faultsCheck('catalogue', await catalogFaults(stores.catalog), 'can be read, and its parts fit'),
  ];
}

const KINDS = { key: 'BYOK key', shared: 'shared credential of' };

/** Stored credentials that do not open with the configured master keys, one line each. Throws `MasterKeyInvalid`. */
export async function credentialFaults(reader: SealedReader, config: Config): Promise<string[]> {
  const { name, loaded } = masterKeySource(config);
  if (loaded === undefined) {
    const any =
      (await reader.sealedRecords('key', FIRST)).length +
      (await reader.sealedRecords('shared', FIRST)).length;
    return any === 0 ? [] : [`there are credentials, but the master key ${name} is missing`];
  }
  const faults: string[] = [];
  for await (const { kind, id, reason } of unreadableRecords(reader, createVault(loaded.keys))) {
    faults.push(`${KINDS[kind]} ${id}: ${reason}`);
  }
  return faults;
}

const FIRST = { after: '', count: 1 };

async function catalogFaults(store: CatalogStore): Promise<string[]> {
  const faults = new Faults();
  try {
    checkCatalog(await store.load(), EMPTY_CATALOG, faults);
    faults.throwIfAny();
    return [];
  } catch (error) {
    if (error instanceof SyntaxError) return [`a stored document is not JSON: ${error.message}`];
    const problem = error instanceof Problem && error.cause instanceof Problem ? error.cause : error;
    if (!(problem instanceof Problem)) throw error;
    return problem.violations.map(({ field, message }) => `${field}: ${message}`);
  }
}
