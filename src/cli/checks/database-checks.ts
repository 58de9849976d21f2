import { systemClock } from '../../base/clock.js';
import { systemIds } from '../../base/ids.js';
import { Problem } from '../../base/problem.js';
import { CREDENTIAL_KINDS, type SealedReader, unreadableRecords } from '../../byok/vault/sealed-records.js';
import { createVault } from '../../byok/vault/vault.js';
import { checkCatalog } from '../../catalog/assembled/check.js';
import type { CatalogStore } from '../../catalog/assembled/store.js';
import { EMPTY_CATALOG } from '../../catalog/input/catalog-file.js';
import { CatalogViolations } from '../../catalog/input/violation-list.js';
import type { Config } from '../../config/config.js';
import type { Database } from '../../store/database/database.js';
import { totalsViolations } from '../../store/ledger/totals.js';
import {
  brokenSections,
  brokenWorkspaces,
  cacheSizeViolations,
  chargeViolations,
  termsViolations,
} from '../../store/maintenance/invariants.js';
import { damageOf, databaseState, openDatabase } from '../../store/open.js';
import { createStores } from '../../store/stores.js';
import { usageViolations } from '../../store/usage/usage-check.js';
import { type DoctorCheck, violationsCheck } from '../output/check.js';
import { masterKeySource } from '../support/master-key-source.js';
import { voidRules } from '../support/rule-findings.js';

/** Every check of `byway db check`, in order. Contents are checked only when the schema is up to date. */
export async function checkDatabase(config: Config): Promise<DoctorCheck[]> {
  const schema = await checkSchema(config);
  if (schema.status === 'fail') return [schema];
  return [schema, ...(await checkOpened(config))];
}

async function checkOpened(config: Config): Promise<DoctorCheck[]> {
  try {
    const database = await openDatabase(config.databaseUrl, {
      directUrl: config.databaseDirectUrl,
      forExamination: true,
    });
    return await checkContents(database, config).finally(() => database.close());
  } catch (error) {
    return [violationsCheck('integrity', [rethrowUnlessDamage(error)], '')];
  }
}

/** Whether the database is there and up to date. */
async function checkSchema({ databaseUrl, databaseDirectUrl: directUrl }: Config): Promise<DoctorCheck> {
  const state = await databaseState(databaseUrl, { directUrl }).catch(rethrowUnlessDamage);
  if (typeof state === 'string') return violationsCheck('schema', [state], '');
  const { exists, pending, foreign } = state;
  if (!exists) return violationsCheck('schema', ['there is no database yet; a start makes it'], '');
  const violations = [
    ...foreign.map((name) => `a newer version of Byway has written it (migration ${name})`),
    ...pending.map((name) => `lacks migration ${name}; "byway db migrate" applies it`),
  ];
  return violationsCheck('schema', violations, 'up to date');
}

async function checkContents(database: Database, config: Config): Promise<DoctorCheck[]> {
  const stores = createStores(database, { clock: systemClock, ids: systemIds });
  const contentChecks: readonly [name: string, check: () => Promise<string[]>, okMessage: string][] = [
    ['integrity', () => database.integrityErrors(), 'no damage, no reference to nothing'],
    ['workspaces', () => brokenWorkspaces(database), 'one default workspace for each account'],
    ['sections', () => brokenSections(database), 'keys stand at 0..n-1 in each section'],
    ['totals', () => totalsViolations(database), 'equal the ledger and the open reservations'],
    ['charges', () => chargeViolations(database), 'each generation is charged once, as it says'],
    ['receipts', () => termsViolations(database), 'the prices of each receipt are kept, as they were'],
    ['cache', () => cacheSizeViolations(database), 'its size is that of its answers'],
    ['usage', () => usageViolations(database), 'rollups equal their generations, and days their rollups'],
    ['credentials', () => credentialViolations(stores.credentials, config), 'all of them open'],
    ['catalogue', () => catalogViolations(stores.catalog), 'can be read, and its parts fit'],
  ];
  const checks: DoctorCheck[] = [];
  for (const [name, check, okMessage] of contentChecks) {
    const violations = await check().catch((error: unknown) => [rethrowUnlessDamage(error)]);
    checks.push(violationsCheck(name, violations, okMessage));
  }
  return [...checks, ...(await voidRulesOf(database, stores.catalog, config))];
}

/** Rules that have no effect; none where the catalogue can't be read, which its own check says. */
async function voidRulesOf(
  database: Database,
  store: CatalogStore,
  { regionHosts }: Config,
): Promise<DoctorCheck[]> {
  const file = await store.load().catch(() => EMPTY_CATALOG);
  if (file.models.length === 0) return [];
  const details = await voidRules(database, file, regionHosts.values(), systemClock.now());
  return details.length === 0 ? [] : [{ name: 'rules', status: 'warn', details }];
}

/** Describes damage that made a check impossible; rethrows any other error. */
function rethrowUnlessDamage(error: unknown): string {
  const damage = damageOf(error);
  if (damage === undefined) throw error;
  return `cannot be read: ${damage}`;
}

const KINDS = { key: 'BYOK key', shared: 'shared credential of', header: 'header' };

/** Stored credentials that do not open with the configured master keys, one line each. Throws `MasterKeyInvalid`. */
export async function credentialViolations(reader: SealedReader, config: Config): Promise<string[]> {
  const { name, loaded } = masterKeySource(config);
  if (loaded === undefined) {
    const any = await Promise.all(CREDENTIAL_KINDS.map((kind) => reader.sealedRecords(kind, FIRST)));
    return any.flat().length === 0 ? [] : [`there are credentials, but the master key ${name} is missing`];
  }
  const violations: string[] = [];
  for await (const { kind, id, reason } of unreadableRecords(reader, createVault(loaded.keys))) {
    violations.push(`${KINDS[kind]} ${id}: ${reason}`);
  }
  return violations;
}

const FIRST = { after: '', count: 1 };

async function catalogViolations(store: CatalogStore): Promise<string[]> {
  const violations = new CatalogViolations();
  try {
    checkCatalog(await store.load(), EMPTY_CATALOG, violations);
    violations.throwIfAny();
    return [];
  } catch (error) {
    if (error instanceof SyntaxError) return [`a stored document is not JSON: ${error.message}`];
    const problem = error instanceof Problem && error.cause instanceof Problem ? error.cause : error;
    if (!(problem instanceof Problem) || problem.violations.length === 0) throw error;
    return problem.violations.map(({ field, message }) => `${field}: ${message}`);
  }
}
