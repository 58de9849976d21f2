/** The composition root: which part gets what. No rule lives here. */
import { createCallerPolicies } from '../accounts/policy/caller-policies.js';
import { CredentialCache } from '../byok/cache/credential-cache.js';
import { AccountHmacKeys } from '../byok/vault/account-hmac-keys.js';
import { refuseLostMasterKey } from '../byok/vault/lost-master-key.js';
import { loadMasterKeys } from '../byok/vault/master-key-settings.js';
import { createVault } from '../byok/vault/vault.js';
import { createCatalogCache } from '../catalog/assembled/catalog.js';
import type { Config } from '../config/config.js';
import { createAuthenticator } from '../identity/authenticate.js';
import { startSweeping } from '../ledger/ledger.js';
import { reportErrors } from '../rpc/errors.js';
import { createInProcessTransport } from '../rpc/in-process-transport.js';
import { LastingStreams } from '../rpc/lasting-streams.js';
import { validateRequests } from '../rpc/validation/validate.js';
import { loadValidator } from '../rpc/validation/validator.js';
import { cacheFamilies } from '../server/metrics/caches.js';
import { gauge } from '../server/metrics/families.js';
import { createRetentionMeter } from '../server/metrics/retention.js';
import { bringBackFutureWindows } from '../store/ledger/future-windows.js';
import { restoreLostTotals } from '../store/ledger/totals.js';
import { type InstanceLock, openDatabase } from '../store/open.js';
import { createRetention } from '../store/retention/retention.js';
import { createStores } from '../store/stores.js';
import { startFillingUsage } from '../store/usage/usage-fill.js';
import { APIS } from './apis.js';
import type { Gateway, Surroundings } from './gateway.js';
import { composeInference } from './inference.js';
import { composeServices } from './services.js';

/**
 * Opens the database and the vault and wires the parts. `lock` is released with the database. Throws an Error whose
 * message names what is wrong.
 */
export async function compose(config: Config, given: Surroundings, lock?: InstanceLock): Promise<Gateway> {
  const masterKeys = loadMasterKeys({ ...config, dataDirectory: config.dataDir });
  const database = await openDatabase(config.databaseUrl, { lock, directUrl: config.databaseDirectUrl });
  const surroundings = { ...given, clock: database.corrected(given.clock) };
  const { clock, log, upstream, failedAttempts } = surroundings;
  const stores = createStores(database, { ...surroundings, isBilled: config.isBilled });
  const sweep = async (now: number) => {
    const settled = await stores.streamJournal.settleAbandoned(log);
    return settled + (await stores.ledger.sweep(now));
  };
  const start = async () => {
    await refuseLostMasterKey(masterKeys, stores.credentials);
    await restoreLostTotals(database);
    await bringBackFutureWindows(database, clock.now());
    return startSweeping({ sweep }, clock);
  };
  const stopSweeping = await start().catch(async (error) => {
    await database.close();
    throw error;
  });
  const stopFilling = startFillingUsage(database);
  const retentionMeter = createRetentionMeter();
  const retention = createRetention(database, config.retention, { clock, meter: retentionMeter });
  const vault = createVault(masterKeys.keys);
  const catalogs = createCatalogCache(stores.catalog);
  const rules = { allowPrivateUpstreams: config.allowPrivateUpstreams };
  const credentials = new CredentialCache({ source: stores.credentials, vault, rules });
  const policies = createCallerPolicies(stores.policies);
  const hmacKeys = new AccountHmacKeys({
    store: stores.accountHmacKeys,
    vault,
    report: (error) => log.error({ err: error }, 'the HMAC key of an account could not be had'),
  });
  const shared = { config, surroundings, stores, catalogs, credentials, policies, vault, hmacKeys };
  const inference = composeInference(shared);
  const lasting = new LastingStreams();
  const services = composeServices({ ...shared, inference, lasting });
  const interceptors = [reportErrors(log), validateRequests(services)];
  const authenticator = createAuthenticator(stores.authentication, failedAttempts);
  const caches = cacheFamilies(() => [
    ...authenticator.cacheReports(),
    ...policies.cacheReports(),
    credentials.report,
  ]);
  return {
    database,
    stores,
    masterKeys,
    isBilled: config.isBilled,
    authenticator,
    rateLimiter: config.adminRatePerMinute === 0 ? null : database.rateLimiter(config.adminRatePerMinute),
    router: inference.router,
    credentials,
    adapters: upstream.adapters,
    batches: inference.batches,
    retention,
    services,
    interceptors,
    apis: APIS,
    metrics: [
      ...inference.metrics,
      ...caches,
      ...retentionMeter.families,
      gauge('byway_billing', 'Whether accounts are charged: 1, or 0 with BYWAY_BILLING=off.', () =>
        Number(config.isBilled),
      ),
    ],
    transport: createInProcessTransport(services, interceptors),
    async warmUp() {
      upstream.warmUp();
      await loadValidator();
    },
    cutOff() {
      inference.stop();
      lasting.end();
    },
    async close() {
      stopSweeping();
      await inference.idle();
      catalogs.close();
      credentials.close();
      await upstream.close();
      await inference.close();
      await stopFilling();
      await retention.close();
      await database.close();
    },
  };
}
