/** The composition root: which part gets what. Nothing else knows all of them. */
import type { Interceptor, Transport } from '@connectrpc/connect';
import type { Clock } from './base/clock.js';
import type { Ids } from './base/ids.js';
import { CredentialBook } from './byok/credential-book.js';
import type { LoadedMasterKeys } from './byok/master-key-settings.js';
import { loadMasterKeys } from './byok/master-key-settings.js';
import { createVault } from './byok/vault.js';
import { createCatalogCache } from './catalog/cache.js';
import { UNFILTERED, type Visibility } from './catalog/visibility.js';
import { createChat } from './chat/complete.js';
import { priceUncharged } from './chat/cost.js';
import type { Config } from './config.js';
import { type Authenticator, createAuthenticator } from './keys/authenticate.js';
import { createRateLimiter, type RateLimiter } from './keys/rate-limit.js';
import { createCircuit } from './routing/circuit.js';
import { refusal } from './routing/refusal.js';
import { type RouterParts, route } from './routing/router.js';
import { accountService } from './rpc/account-service.js';
import { byokService } from './rpc/byok-service.js';
import { chatService } from './rpc/chat-service.js';
import { createDirectTransport } from './rpc/direct.js';
import { type FailureLog, reportErrors } from './rpc/errors.js';
import { generationService } from './rpc/generation-service.js';
import { keyService } from './rpc/key-service.js';
import { modelService } from './rpc/model-service.js';
import { routingService } from './rpc/routing-service.js';
import type { Served } from './rpc/served.js';
import { validateRequests } from './rpc/validate.js';
import { meansOf } from './spend/credits.js';
import type { UsageReader } from './spend/usage.js';
import { accountStore } from './store/account-store.js';
import { byokStore } from './store/byok-store.js';
import { createCatalogStore } from './store/catalog-store.js';
import { clientStore } from './store/client-store.js';
import { credentialStore } from './store/credential-store.js';
import { creditStore } from './store/credit-store.js';
import type { Database } from './store/database.js';
import { createGenerationStore } from './store/generation-store.js';
import { keyStore } from './store/key-store.js';
import { managementKeyStore } from './store/management-key-store.js';
import { openDatabase } from './store/open.js';
import { sealedCredentialStore } from './store/sealed-credential-store.js';
import { usageReader } from './store/usage-reader.js';
import { openCredential } from './upstream/credentials.js';
import { ADAPTERS } from './upstream/index.js';

/** What is the same in all processes and different in tests. */
export interface Surroundings {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: FailureLog;
}

/** The gateway without its port: what the server serves and the command line works with. */
export interface Gateway {
  readonly database: Database;
  readonly stores: Stores;
  readonly masterKeys: LoadedMasterKeys;
  readonly authenticator: Authenticator;
  /** Null = administrative calls are not bounded. */
  readonly rateLimiter: RateLimiter | null;
  readonly router: RouterParts;
  readonly usage: UsageReader;
  readonly services: readonly Served[];
  readonly interceptors: readonly Interceptor[];
  /** The services in process. */
  readonly transport: Transport;
  close(): Promise<void>;
}

type Stores = ReturnType<typeof storesOf>;

/** Opens the database and the vault and puts the parts together. Throws an Error whose message names what is wrong. */
export async function compose(config: Config, { clock, ids, log }: Surroundings): Promise<Gateway> {
  const masterKeys = loadMasterKeys({ ...config, dataDirectory: config.dataDir });
  const database = await openDatabase(config.databaseUrl);
  const stores = storesOf(database, clock);
  const vault = createVault(masterKeys.keys);
  const rules = { allowPrivateUpstreams: config.allowPrivateUpstreams };
  const catalogs = createCatalogCache(stores.catalog);
  const credentials = new CredentialBook({ source: stores.credentials, vault, rules });
  const circuit = createCircuit();
  const authenticator = createAuthenticator(stores.authentication);
  const router: RouterParts = {
    catalogs,
    credentials,
    circuit,
    policyFor: async (_caller, region) => policyIn(region),
    meansOf: (accountId) => meansOf(stores.credits, accountId, clock.now()),
    figures: () => undefined,
    clock,
    maxAttempts: config.maxAttempts,
  };
  const chat = createChat({
    adapters: ADAPTERS,
    openCredential: (attempt) => openCredential(credentials, attempt),
    circuit,
    clock,
    ids,
    async route({ body, caller, preferences }) {
      const { region } = caller;
      const { model = null, models = null } = body;
      const chain = await route(router, {
        caller,
        region,
        body,
        model,
        models,
        preferences,
        promptTokens: null,
      });
      if (chain.attempts.length === 0) throw refusal(chain);
      return chain;
    },
    price: priceUncharged,
    generations: stores.generations,
    timeouts: config.timeouts,
  });
  const usage = usageReader(database);
  const services = [
    accountService({ store: stores.clients, clock, ids }),
    byokService({ store: stores.byok, vault, rules, catalogs, clock, ids }),
    chatService(chat),
    generationService({ store: stores.generations, catalogs }),
    keyService({ store: stores.keys, usage, clock, ids }),
    modelService({ catalogs, visibilityFor: async (_caller, region) => policyIn(region) }),
    routingService({ router, keys: stores.keys }),
  ];
  const interceptors = [reportErrors(log), validateRequests(services)];
  return {
    database,
    stores,
    masterKeys,
    authenticator,
    rateLimiter: config.adminRatePerMinute === 0 ? null : createRateLimiter(config.adminRatePerMinute),
    router,
    usage,
    services,
    interceptors,
    transport: createDirectTransport(services, interceptors),
    async close() {
      catalogs.close();
      credentials.close();
      await database.close();
    },
  };
}

function storesOf(database: Database, clock: Clock) {
  return {
    accounts: accountStore(database),
    authentication: credentialStore(database),
    byok: byokStore(database),
    catalog: createCatalogStore(database, clock),
    clients: clientStore(database),
    credentials: sealedCredentialStore(database),
    credits: creditStore(database),
    generations: createGenerationStore(database),
    keys: keyStore(database),
    managementKeys: managementKeyStore(database),
  };
}

/** What the host alone says; preferences and guardrails join it where they are kept. */
function policyIn(region: string): Visibility {
  return { ...UNFILTERED, region };
}
