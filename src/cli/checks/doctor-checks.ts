/** The checks of `byway doctor`. None changes anything, and no result holds a secret. */
import { existsSync } from 'node:fs';
import { access, constants } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname } from 'node:path';
import { systemClock } from '../../base/clock.js';
import { type Config, givenSettings, isDatabaseServer, isOpenToAnyHost } from '../../config/config.js';
import { createSealedCredentialStore } from '../../store/byok/sealed-credential-store.js';
import { isTooNew } from '../../store/migrations/migrate.js';
import { asUnusableDatabase, databaseState, openDatabase } from '../../store/open.js';
import { createAccountStore } from '../../store/tables/account-store.js';
import { createCatalogStore } from '../../store/tables/catalog-store.js';
import { type DoctorCheck, violationsCheck } from '../output/check.js';
import { UNBOUND_HOSTS } from '../start/unbound-hosts.js';
import { unknownSettings } from '../start/unknown-settings.js';
import { describeMasterKeyMismatch } from '../start/unreadable-credentials.js';
import { masterKeySource } from '../support/master-key-source.js';
import { packageFile } from '../support/package-file.js';
import { readNamedFile } from '../support/read-file.js';
import { voidRules } from '../support/rule-findings.js';
import { credentialViolations } from './database-checks.js';

export type CheckResult = Omit<DoctorCheck, 'name'>;

/** Checks of what a start depends on, by name. A rejection is a failed check. */
export const START_CHECKS: Readonly<Record<string, (config: Config) => Promise<CheckResult>>> = {
  hosts: checkHosts,
  'data directory': checkDataDir,
  'master key': checkMasterKey,
  database: checkDatabase,
  credentials: checkCredentials,
  catalogue: checkCatalog,
  port: checkPort,
};

export function checkNode(): CheckResult {
  const needed = packageFile().engines.node.replace('>=', '');
  const [have, want] = [process.versions.node, needed].map((text) => text.split('.').map(Number));
  const difference = (have ?? [])
    .map((part, index) => part - (want?.[index] ?? 0))
    .find((part) => part !== 0);
  if ((difference ?? 0) >= 0) return ok(process.version);
  return { status: 'fail', details: [`${process.version} is older than ${needed}`] };
}

/** Lists the variables that are set; for unknown ones it suggests the nearest known name. */
export function checkSettings(): CheckResult {
  const { set } = givenSettings();
  const details = set.map(({ name, value }) => (value === null ? `${name} is set` : `${name}=${value}`));
  const strange = unknownSettings().map(
    ({ variable, nearest }) =>
      `${variable} is unknown${nearest === null ? '' : `; did you mean ${nearest}?`}`,
  );
  if (strange.length > 0) return { status: 'warn', details: [...strange, ...details] };
  return details.length === 0 ? ok('nothing is set: every default holds') : { status: 'ok', details };
}

async function checkHosts(config: Config): Promise<CheckResult> {
  if (isOpenToAnyHost(config)) return { status: 'warn', details: [UNBOUND_HOSTS] };
  if (config.hosts === null) return ok('any; none stands for a region');
  return ok([...config.hosts].sort().join(', '));
}

async function checkDataDir({ dataDir }: Config): Promise<CheckResult> {
  let folder = dataDir;
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder);
  try {
    await access(folder, constants.W_OK | constants.X_OK);
  } catch {
    return { status: 'fail', details: [`${folder} is not writable by this user`] };
  }
  return ok(folder === dataDir ? dataDir : `${dataDir} is made by the first start`);
}

async function checkMasterKey(config: Config): Promise<CheckResult> {
  const { name, loaded } = masterKeySource(config);
  if (loaded !== undefined) {
    const detail = `${name}, identifier ${loaded.keys.current.id}`;
    if (loaded.ownFile === null || !isDatabaseServer(config.databaseUrl)) return ok(detail);
    const advice = 'it is in a file of this machine; every machine on this database needs the same one';
    return { status: 'warn', details: [detail, advice] };
  }
  const { exists } = await databaseState(config.databaseUrl, { directUrl: config.databaseDirectUrl });
  if (!exists) return ok(`${name} is made by the first start`);
  const detail = `${name} is missing; a start makes a new one, which opens no credential that is stored already`;
  return { status: 'warn', details: [detail] };
}

async function checkDatabase({ databaseUrl, databaseDirectUrl: directUrl }: Config): Promise<CheckResult> {
  const { exists, pending, foreign } = await databaseState(databaseUrl, { directUrl });
  if (!exists) return ok('is made by the first start');
  if (foreign.length > 0) {
    const detail = `a newer version of Byway has written it (migration ${foreign.join(', ')})`;
    return { status: isTooNew(foreign) ? 'fail' : 'warn', details: [detail] };
  }
  if (pending.length === 0) {
    const database = await openDatabase(databaseUrl, { directUrl });
    const unwritable = await database.ping().then(
      () => undefined,
      (error) => asUnusableDatabase(error, databaseUrl),
    );
    await database.close();
    if (unwritable !== undefined) throw await unwritable;
    return ok('takes writes, its schema up to date');
  }
  return { status: 'warn', details: [`the next start applies ${pending.join(', ')}`] };
}

/**
 * A start refuses master keys that don't open the newest credential; single credentials that don't open are only
 * listed.
 */
async function checkCredentials(config: Config): Promise<CheckResult> {
  const { databaseUrl, databaseDirectUrl: directUrl } = config;
  const { exists, pending, foreign } = await databaseState(databaseUrl, { directUrl });
  if (!exists) return ok('none is stored yet');
  if (pending.length + foreign.length > 0) return NOT_CHECKED;
  const database = await openDatabase(databaseUrl, { directUrl });
  try {
    const reader = createSealedCredentialStore(database);
    const { loaded } = masterKeySource(config);
    const { details, status } = violationsCheck(
      '',
      await credentialViolations(reader, config),
      'all of them open',
    );
    const refusal = loaded && (await describeMasterKeyMismatch(reader, config, loaded));
    if (refusal !== undefined) return { status: 'fail', details: [refusal, ...details] };
    return { status: loaded !== undefined && status === 'fail' ? 'warn' : status, details };
  } finally {
    await database.close();
  }
}

const NOT_CHECKED: CheckResult = { status: 'warn', details: ['unknown until the database is up to date'] };

/** Counts what there is, and names the rules of accounts that have no effect with it. */
async function checkCatalog({
  databaseUrl,
  databaseDirectUrl: directUrl,
  catalogFile,
  regionHosts,
}: Config): Promise<CheckResult> {
  if (catalogFile !== null) await readNamedFile(catalogFile);
  const { exists, pending, foreign } = await databaseState(databaseUrl, { directUrl });
  if (!exists) return ok('the first start imports one');
  if (pending.length + foreign.length > 0) return NOT_CHECKED;
  const database = await openDatabase(databaseUrl, { directUrl });
  try {
    const file = await createCatalogStore(database, systemClock).load();
    const { providers, models } = file;
    const endpoints = models.reduce((count, model) => count + model.endpoints.length, 0);
    const counts = `${providers.length} providers, ${models.length} models, ${endpoints} endpoints`;
    if (models.length === 0) return ok(`${counts}; the next start imports one`);
    const voided = await voidRules(database, file, regionHosts.values(), systemClock.now());
    return voided.length === 0 ? ok(counts) : { status: 'warn', details: [counts, ...voided] };
  } finally {
    await database.close();
  }
}

/** For a process that bills nothing. */
export async function checkBilling({ databaseUrl }: Config): Promise<CheckResult> {
  const details = ['off: nothing is charged, and nothing used is charged later'];
  const { exists, pending, foreign } = await databaseState(databaseUrl);
  if (!exists || pending.length + foreign.length > 0) return { status: 'ok', details };
  const database = await openDatabase(databaseUrl);
  try {
    const accounts = await createAccountStore(database).listAccounts();
    const without = accounts.filter(({ hasSharedCapacity }) => !hasSharedCapacity);
    return {
      status: 'ok',
      details: [...details, ...without.map(({ id }) => `account ${id} has no shared capacity`)],
    };
  } finally {
    await database.close();
  }
}

async function checkPort({ host, port }: Config): Promise<CheckResult> {
  if (port === 0) return ok('0: the system chooses a free one');
  const server = createServer();
  const code = await new Promise<string | undefined>((resolve) => {
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen({ host, port }, () => server.close(() => resolve(undefined)));
  });
  if (code === undefined) return ok(`${port} on ${host} is free`);
  if (code !== 'EADDRINUSE') return { status: 'fail', details: [`${port} on ${host}: ${code}`] };
  return { status: 'warn', details: [`${port} on ${host} is in use: a running Byway, or another process`] };
}

function ok(detail: string): CheckResult {
  return { status: 'ok', details: [detail] };
}
