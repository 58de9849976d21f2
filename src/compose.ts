/** The composition root: which part gets what. Nothing else knows all of them. */
import type { Interceptor } from '@connectrpc/connect';
import { createKnownNames } from './accounts/policy/known-names.js';
import { createPolicyReader } from './accounts/policy/policy-reader.js';
import { createVisibilities } from './accounts/policy/visibilities.js';
import type { Clock } from './base/clock.js';
import type { Ids } from './base/ids.js';
import { Batches } from './batch/batches.js';
import { CredentialCache } from './byok/vault/credential-cache.js';
import { refuseLostMasterKey } from './byok/vault/lost-master-key.js';
import type { LoadedMasterKeys } from './byok/vault/master-key-settings.js';
import { loadMasterKeys } from './byok/vault/master-key-settings.js';
import { createVault } from './byok/vault/vault.js';
import { createCatalogCache } from './catalog/cache.js';
import type { Catalog } from './catalog/catalog.js';
import type { Config } from './config.js';
import { type Authenticator, createAuthenticator } from './identity/authenticate.js';
import type { FailedAttempts } from './identity/failed-attempts.js';
import type { RateLimiter } from './identity/rate-limit.js';
import { createAdmission } from './inference/admission.js';
import { createChat } from './inference/complete.js';
import { attemptsThatReason } from './inference/reasoning/reasoning-refusal.js';
import { attemptOutcome, measurementOf } from './inference/settlement/measurement.js';
import { retrySettlement } from './inference/settlement/settlement-retry.js';
import { createTestCall } from './inference/test-call.js';
import { accountFunds } from './ledger/credits.js';
import { openCredential } from './providers/credentials.js';
import type { Upstream } from './providers/index.js';
import { createCircuit } from './routing/health/circuit.js';
import { createLatencyStatistics } from './routing/health/latency-statistics.js';
import { refusal } from './routing/refusal.js';
import { createRouteCache } from './routing/route-cache.js';
import { type RouteRequest, type RouterDependencies, route } from './routing/router.js';
import type { Attempt } from './routing/types.js';
import type { ServiceDefinition } from './rpc/define-service.js';
import { type FailureLog, reportErrors } from './rpc/errors.js';
import { createInProcessTransport, type InProcessTransport } from './rpc/in-process-transport.js';
import { accountService } from './rpc/services/account-service.js';
import { batchService } from './rpc/services/batch-service.js';
import { byokService } from './rpc/services/byok-service.js';
import { chatService } from './rpc/services/chat-service.js';
import { generationService } from './rpc/services/generation-service.js';
import { guardrailService } from './rpc/services/guardrail-service.js';
import { keyService } from './rpc/services/key-service.js';
import { modelService } from './rpc/services/model-service.js';
import { routingService } from './rpc/services/routing-service.js';
import { workspaceService } from './rpc/services/workspace-service.js';
import { validateRequests } from './rpc/validation/validate.js';
import { createBatchMeter } from './server/metrics/batch.js';
import { createChatMeter } from './server/metrics/chat.js';
import type { Family } from './server/metrics/families.js';
import type { Database } from './store/database.js';
import { restoreLostTotals } from './store/ledger/totals.js';
import { openDatabase } from './store/open.js';
import { createStores, type Stores } from './store/stores.js';

type CallerIds = RouteRequest['caller'];

/** How often reservations are looked for that nobody ends any more. */
const SWEEP_INTERVAL_MS = 3_000;

/** A request whose time is over still has to be settled. */
const SETTLING_MS = 60_000;

/** What is the same in all processes and different in tests. */
export interface Surroundings {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: FailureLog;
  readonly upstream: Upstream;
  /** Bounds the credentials that an address may guess at; the usual bound when left out. */
  readonly failedAttempts?: FailedAttempts;
}

/** The gateway without its port: what the server serves and the command line works with. */
export interface Gateway {
  readonly database: Database;
  readonly stores: Stores;
  readonly masterKeys: LoadedMasterKeys;
  readonly authenticator: Authenticator;
  /** Null = administrative calls are not bounded. */
  readonly rateLimiter: RateLimiter | null;
  readonly router: RouterDependencies;
  /** Watched only once they are started. */
  readonly batches: Pick<Batches, 'start'>;
  readonly services: readonly ServiceDefinition[];
  readonly interceptors: readonly Interceptor[];
  /** What is counted of chats. */
  readonly metrics: readonly Family[];
  /** The services in process. */
  readonly transport: InProcessTransport;
  /** Waits for the records of the chats that are under way, then lets go of everything. It ends no chat. */
  close(): Promise<void>;
}

/** Opens the database and the vault and puts the parts together. Throws an Error whose message names what is wrong. */
export async function compose(config: Config, surroundings: Surroundings): Promise<Gateway> {
  const { clock, ids, log, upstream, failedAttempts } = surroundings;
  const masterKeys = loadMasterKeys({ ...config, dataDirectory: config.dataDir });
  const database = await openDatabase(config.databaseUrl);
  const stores = createStores(database, { clock, ids });
  try {
    await refuseLostMasterKey(masterKeys, stores.credentials);
    await restoreLostTotals(database);
    await stores.ledger.sweep(clock.now());
  } catch (error) {
    await database.close();
    throw error;
  }
  // What can't be swept now is swept the next time; the database says itself when it is in trouble.
  const sweep = () => void stores.ledger.sweep(clock.now()).catch(() => undefined);
  const sweeping = setInterval(sweep, SWEEP_INTERVAL_MS).unref();
  const vault = createVault(masterKeys.keys);
  const rules = { allowPrivateUpstreams: config.allowPrivateUpstreams };
  const catalogs = createCatalogCache(stores.catalog);
  const credentials = new CredentialCache({ source: stores.credentials, vault, rules });
  const circuit = createCircuit();
  const statistics = createLatencyStatistics(clock);
  const meter = createChatMeter({
    outcomeOf: attemptOutcome,
    coolingCandidates: () => circuit.cooling(clock.now()),
  });
  const authenticator = createAuthenticator(stores.authentication, failedAttempts);
  const policies = createPolicyReader(stores.policies);
  const visibilities = createVisibilities();
  const policyFor = async (
    { accountId, apiKeyHash, userId, workspaceId }: CallerIds,
    region: string,
    catalog: Catalog,
  ) => {
    const policy = await policies.callerPolicy(accountId, apiKeyHash, userId, workspaceId);
    return { visibility: visibilities(policy, region, catalog), defaultSort: policy.defaultSort };
  };
  const router: RouterDependencies = {
    catalogs,
    credentials,
    routeCache: createRouteCache(credentials),
    circuit,
    policyFor,
    statistics: statistics.of,
    clock,
    maxAttempts: config.maxAttempts,
  };
  const calling = {
    adapters: upstream.adapters,
    openCredential: (attempt: Attempt) => openCredential({ cache: credentials, catalogs }, attempt),
    clock,
  };
  const settlement = retrySettlement(stores.generations, log);
  const chat = createChat({
    ...calling,
    circuit,
    ids,
    admit: createAdmission({
      async route({ body, caller, preferences }, funds, { promptTokensLow: promptTokens }, at) {
        const { region } = caller;
        const { model = null, models = null } = body;
        const request = { caller, region, body, model, models, preferences, promptTokens };
        const chain = await route(router, request, funds);
        if (chain.attempts.length === 0) throw refusal(chain, { plan: caller.plan, at });
        const attempts = attemptsThatReason(chain.attempts, body, preferences.requireParameters);
        return { attempts, unusableKeys: chain.unusableKeys };
      },
      async limitsOf({ caller }) {
        const { accountId, apiKeyHash, userId, workspaceId, limit } = caller;
        const { limits } = await policies.callerPolicy(accountId, apiKeyHash, userId, workspaceId);
        return limit === null ? limits : [limit, ...limits];
      },
      ledger: stores.ledger,
      reservationMs: config.timeouts.totalMs + SETTLING_MS,
    }),
    generations: {
      settle(generation, charge) {
        const measured = measurementOf(generation);
        if (measured !== undefined) statistics.record(measured);
        return meter.settled(generation, settlement.settle(generation, charge));
      },
    },
    timeouts: config.timeouts,
  });
  const shared = { clock, ids };
  const namesOf = createKnownNames(config.regionHosts.values());
  const knownNames = async () => namesOf(await catalogs.current());
  const batchMeter = createBatchMeter();
  const batches = new Batches({
    meter: batchMeter,
    ...{ store: stores.batches, upstream: upstream.batches, catalogs, credentials, ...shared },
    ...{ accounts: stores.accounts, keys: stores.keys, byok: stores.credentials },
    route: (request, funds) => route(router, request, funds),
    async budgetsOf({ accountId, apiKeyHash, userId, workspaceId }) {
      return (await policies.callerPolicy(accountId, apiKeyHash, userId, workspaceId)).limits;
    },
    report: (error) => log.error({ err: error }, 'a batch could not be moved on'),
  });
  const services = [
    accountService({
      store: stores.clients,
      preferences: stores.preferences,
      credits: stores.credits,
      activity: { reader: stores.activity, accounts: stores.accounts },
      knownNames,
      ...shared,
    }),
    batchService(batches),
    byokService({
      ...{ store: stores.byok, vault, rules, catalogs, ...shared },
      tests: { source: stores.credentials, credentials, call: createTestCall(calling) },
    }),
    chatService(chat, meter),
    generationService({ store: stores.generations, catalogs, accounts: stores.accounts }),
    guardrailService({
      guardrails: { store: stores.guardrails, ...shared },
      assignments: { store: stores.assignments, ...shared },
      knownNames,
    }),
    keyService({ store: stores.keys, usage: stores.usage, ...shared }),
    modelService({
      catalogs,
      visibilityFor: async ({ accountId, keyHash, userId, workspaceId }, region, catalog) => {
        const caller = { accountId, apiKeyHash: keyHash, userId, workspaceId };
        return (await policyFor(caller, region, catalog)).visibility;
      },
    }),
    routingService({
      router,
      keys: stores.keys,
      availableFunds: (accountId) => accountFunds(stores.credits, accountId, clock.now()),
    }),
    workspaceService({
      workspaces: { store: stores.workspaces, ...shared },
      members: { store: stores.members, ...shared },
      budgets: { store: stores.budgets, spend: stores.workspaceSpend, ...shared },
    }),
  ];
  const interceptors = [reportErrors(log), validateRequests(services)];
  return {
    database,
    stores,
    masterKeys,
    authenticator,
    rateLimiter: config.adminRatePerMinute === 0 ? null : database.rateLimiter(config.adminRatePerMinute),
    router,
    batches,
    services,
    interceptors,
    metrics: [...meter.families, ...batchMeter.families],
    transport: createInProcessTransport(services, interceptors),
    async close() {
      clearInterval(sweeping);
      await Promise.all([chat.idle(), batches.close()]);
      catalogs.close();
      credentials.close();
      await upstream.close();
      await settlement.close();
      await database.close();
    },
  };
}
