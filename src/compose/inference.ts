import type { CallerPolicies } from '../accounts/policy/caller-policies.js';
import { Batches } from '../batch/batches.js';
import type { CredentialCache } from '../byok/cache/credential-cache.js';
import { createKeyRefusals } from '../byok/key-refusals.js';
import type { AccountHmacKeys } from '../byok/vault/account-hmac-keys.js';
import type { Vault } from '../byok/vault/vault.js';
import type { CatalogCache } from '../catalog/assembled/catalog.js';
import type { Provider } from '../catalog/types.js';
import type { Config } from '../config/config.js';
import { usableUntil } from '../identity/authenticate.js';
import { Adaptations } from '../inference/attempts/adaptation.js';
import { createAttemptWatch } from '../inference/attempts/attempt-watch.js';
import { Refusals } from '../inference/attempts/refusals.js';
import { InferenceCache } from '../inference/cache/inference-cache.js';
import { createCountTokens } from '../inference/counting/count-tokens.js';
import { createInference } from '../inference/inference.js';
import { Departures } from '../inference/leaving/departures.js';
import { createAdmission, createRequestRoute } from '../inference/run/admission.js';
import { createRequestLimits } from '../inference/run/request-limits.js';
import { attemptOutcome, meteredSettlement, retrySettlement } from '../inference/settlement/settlement.js';
import { StreamJournal } from '../inference/settlement/stream-journal.js';
import { createTestCall } from '../inference/test-call.js';
import { accountFunds } from '../ledger/credits.js';
import { isAnySpent } from '../ledger/limits.js';
import { billingPlanInForce } from '../ledger/payer.js';
import { ReservationQueues } from '../ledger/reservation-queues.js';
import { HOST_CONTRACTS } from '../providers/contracts.js';
import { credentialOpener } from '../providers/credentials.js';
import { HOST_REFUSALS } from '../providers/index.js';
import { KnownPrompts } from '../routing/estimate/known-prompts.js';
import { createCircuit } from '../routing/health/circuit.js';
import { Measurements } from '../routing/health/endpoint-measurements.js';
import { FastestRates } from '../routing/health/fastest-rates.js';
import { createLatencyStatistics } from '../routing/health/latency-statistics.js';
import { createRefuse } from '../routing/router/refusal.js';
import { createRouteCache } from '../routing/router/route-cache.js';
import { type RouterDependencies, route } from '../routing/router/router.js';
import { createAnswerCacheMeter } from '../server/metrics/answer-cache.js';
import { createBatchMeter } from '../server/metrics/batch.js';
import { createChatMeter } from '../server/metrics/chat.js';
import { createTokenCountMeter } from '../server/metrics/token-counts.js';
import type { Stores } from '../store/stores.js';
import type { Surroundings } from './gateway.js';

interface Inputs {
  readonly config: Config;
  readonly surroundings: Surroundings;
  readonly stores: Stores;
  readonly catalogs: CatalogCache;
  readonly credentials: CredentialCache;
  readonly policies: CallerPolicies;
  readonly vault: Vault;
  readonly hmacKeys: AccountHmacKeys;
}

/** Everything that sends requests to providers: chats, batches and key tests, with the router that they share. */
export function composeInference(inputs: Inputs) {
  const { config, surroundings, stores, catalogs, credentials, policies } = inputs;
  const { clock, ids, log, upstream } = surroundings;
  const circuit = createCircuit();
  const statistics = createLatencyStatistics(clock);
  const rates = new FastestRates(clock);
  const measurements = new Measurements(clock);
  const departures = new Departures({
    usableUntil: (apiKeyHash) => usableUntil(stores.authentication, apiKeyHash, clock.now()),
    clock,
  });
  stores.authentication.onCredentialChange(() => departures.recheck());
  const refusals = new Refusals(HOST_REFUSALS);
  const chatMeter = createChatMeter({
    outcomeOf: attemptOutcome,
    kindOfMember: (member) => refusals.kindOf(member),
    finishing: () => departures.size,
    coolingCandidates: () => circuit.cooling(clock.now()),
  });
  const batchMeter = createBatchMeter();
  const countMeter = createTokenCountMeter();
  const router: RouterDependencies = {
    catalogs,
    credentials,
    routeCache: createRouteCache(credentials),
    circuit,
    policyFor: policies.routingPolicy,
    statistics,
    clock,
    maxAttempts: config.maxAttempts,
    isBilled: config.isBilled,
    contracts: HOST_CONTRACTS,
  };
  const upstreamCalls = {
    adapters: upstream.adapters,
    openCredential: credentialOpener({ cache: credentials, catalogs }),
    openHeaders: (provider: Provider) => credentials.headersOf(provider),
    clock,
  };
  const refuse = createRefuse(stores.workspaces);
  const settlement = retrySettlement(stores.generations, log);
  const requestRoute = createRequestRoute(router, refuse);
  const limits = createRequestLimits(policies.limitsOf, stores.runs);
  const queues = new ReservationQueues(config.reservationWaitMs);
  const answerMeter = createAnswerCacheMeter();
  const answers = inferenceCache(inputs, answerMeter.lookedFor);
  const admit = createAdmission({
    route: requestRoute,
    limits,
    ledger: stores.ledger,
    balances: stores.balances,
    answers,
    queues,
    knownPrompts: new KnownPrompts(),
    maxRequestMs: config.timeouts.totalMs,
  });
  const journal = new StreamJournal(stores.streamJournal, log);
  const generations = meteredSettlement(
    settlement,
    { latencies: statistics, rates, measurements },
    chatMeter,
  );
  const adaptations = new Adaptations(clock, refusals);
  const keyRefusals = createKeyRefusals({
    store: stores.keyRefusals,
    clock,
    report: (error) => log.error({ err: error }, 'the refusal of a key could not be recorded'),
  });
  const watch = createAttemptWatch({ log, keyRefusals, clock });
  const inference = createInference({
    ...upstreamCalls,
    ...{ circuit, adaptations, refusals, watch, ids, admit, answers, generations, journal },
    timeouts: config.timeouts,
    ...{ onDisconnect: config.onDisconnect, departures, rates },
  });
  const batches = new Batches({
    store: stores.batches,
    upstream: upstream.batches,
    accounts: stores.accounts,
    planInForce: billingPlanInForce(config.isBilled),
    keys: stores.keys,
    byok: stores.credentials,
    catalogs,
    credentials,
    route: (request, funds) => route(router, request, funds),
    refuse,
    budgetsOf: policies.budgetsOf,
    meter: batchMeter,
    report: (error) => log.error({ err: error }, 'a batch could not be moved on'),
    clock,
    ids,
  });
  return {
    router,
    inference,
    limits,
    chatMeter,
    measurements,
    batches,
    countTokens: createCountTokens({
      ...upstreamCalls,
      watch,
      route: requestRoute,
      availableFunds: (accountId) => accountFunds(stores.credits, accountId, clock.now()),
      isLimitSpent: async (request) =>
        isAnySpent(await limits.ofCaller(request), stores.balances, clock.now()),
      timeouts: config.timeouts,
      counted: countMeter.counted,
    }),
    testCall: createTestCall({ ...upstreamCalls, watch }),
    metrics: [...chatMeter.families, ...countMeter.families, ...batchMeter.families, ...answerMeter.families],
    /** Ends everything in flight, and what waits. */
    stop() {
      queues.stop();
      inference.stop();
    },
    /** Resolves once everything in flight is recorded. */
    idle: () => Promise.all([inference.idle(), batches.close()]),
    close: () => Promise.all([journal.close(), settlement.close(), keyRefusals.idle()]),
  };
}

/** null where nothing is cached. */
function inferenceCache(
  { config, surroundings, stores, vault, hmacKeys }: Inputs,
  lookedFor: (outcome: 'hit' | 'miss') => void,
): InferenceCache | null {
  if (config.cacheMaxBytes === 0) return null;
  const { clock, log } = surroundings;
  return new InferenceCache({
    store: stores.cachedAnswers,
    vault,
    hash: (accountId) => hmacKeys.cacheHash(accountId),
    clock,
    maxBytes: config.cacheMaxBytes,
    lookedFor,
    report: (error) => log.error({ err: error }, 'an answer of the cache could not be read or kept'),
  });
}
