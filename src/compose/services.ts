import { createKnownNames } from '../accounts/known-names.js';
import type { CallerPolicies } from '../accounts/policy/caller-policies.js';
import { formatNano } from '../base/money.js';
import { pathOfUrl } from '../base/url.js';
import type { CredentialCache } from '../byok/cache/credential-cache.js';
import type { AccountHmacKeys } from '../byok/vault/account-hmac-keys.js';
import type { Vault } from '../byok/vault/vault.js';
import type { CatalogCache } from '../catalog/assembled/catalog.js';
import type { Config } from '../config/config.js';
import type { InferenceRequest } from '../inference/ports/inference-request.js';
import { accountFunds, heldAccountFunds } from '../ledger/credits.js';
import { remainingNow } from '../ledger/limits.js';
import type { ServiceDefinition } from '../rpc/define-service.js';
import type { LastingStreams } from '../rpc/lasting-streams.js';
import { accountService } from '../rpc/services/account-service.js';
import { batchService } from '../rpc/services/batch-service.js';
import { byokService } from '../rpc/services/byok-service.js';
import { cacheService } from '../rpc/services/cache-service.js';
import { chatService } from '../rpc/services/chat-service.js';
import { completionService } from '../rpc/services/completion-service.js';
import { embeddingService } from '../rpc/services/embedding-service.js';
import { generationService } from '../rpc/services/generation-service.js';
import { guardrailService } from '../rpc/services/guardrail-service.js';
import { keyService } from '../rpc/services/key-service.js';
import { messagesService } from '../rpc/services/messages-service.js';
import { modelService } from '../rpc/services/model-service.js';
import { rerankService } from '../rpc/services/rerank-service.js';
import { responsesService } from '../rpc/services/responses-service.js';
import { routingService } from '../rpc/services/routing-service.js';
import { workspaceService } from '../rpc/services/workspace-service.js';
import type { Stores } from '../store/stores.js';
import type { Surroundings } from './gateway.js';
import type { composeInference } from './inference.js';

interface Inputs {
  readonly config: Config;
  readonly surroundings: Pick<Surroundings, 'clock' | 'ids'>;
  readonly stores: Stores;
  readonly catalogs: CatalogCache;
  readonly credentials: CredentialCache;
  readonly vault: Vault;
  readonly hmacKeys: AccountHmacKeys;
  readonly policies: CallerPolicies;
  readonly inference: ReturnType<typeof composeInference>;
  readonly lasting: LastingStreams;
}

export function composeServices(inputs: Inputs): readonly ServiceDefinition[] {
  const { config, stores, catalogs, credentials, vault, policies, lasting } = inputs;
  const { clock, ids } = inputs.surroundings;
  const namesOf = createKnownNames(config.regionHosts.values());
  const knownNames = async () => namesOf(await catalogs.current());
  const activity = { reader: stores.activity, names: stores.recordNames };
  const { inference, limits, router, chatMeter, countTokens, batches, testCall } = inputs.inference;
  const answering = {
    inference,
    meter: chatMeter,
    remainingUsd: async (request: InferenceRequest) => {
      const now = clock.now();
      const left = await remainingNow(await limits.inForce(request, now), stores.knownBalances, now);
      return left === undefined ? undefined : formatNano(left);
    },
  };
  const availableFunds = (accountId: string) => accountFunds(stores.credits, accountId, clock.now());
  return [
    accountService({
      store: stores.clients,
      preferences: { store: stores.preferences, knownNames },
      credits: stores.credits,
      activity,
      members: stores.members,
      catalogs,
      runs: stores.runs,
      clock,
      ids,
    }),
    batchService(batches, stores.recordNames, lasting),
    byokService({
      store: stores.byok,
      vault,
      rules: { allowPrivateUpstreams: config.allowPrivateUpstreams },
      catalogs,
      clock,
      ids,
      tests: { source: stores.credentials, credentials, call: testCall },
    }),
    cacheService(stores.cachedAnswers),
    chatService(answering),
    generationService({
      store: stores.generations,
      receipts: stores.receipts,
      catalogs,
      names: stores.recordNames,
      lasting,
    }),
    guardrailService({
      guardrails: { store: stores.guardrails, clock, ids, knownNames },
      assignments: { store: stores.assignments, clock, ids },
      catalogs,
    }),
    keyService({ store: stores.keys, usage: stores.usage, endUsers: stores.endUsers, clock, ids }),
    messagesService({ ...answering, countTokens, marks: inputs.hmacKeys }),
    modelService({
      catalogs,
      policies,
      availability: { router, workspaces: stores.workspaces, availableFunds },
      measurements: inputs.inference.measurements,
      publicPath: pathOfUrl(config.publicUrl),
    }),
    responsesService({ ...answering, countTokens, marks: inputs.hmacKeys }),
    completionService(answering),
    embeddingService(answering),
    rerankService(answering),
    routingService({
      router,
      keys: stores.keys,
      availableFunds,
      heldFunds: (accountId: string) => heldAccountFunds(stores.credits, accountId, clock.now()),
      limits,
      balances: stores.balances,
    }),
    workspaceService({
      workspaces: { store: stores.workspaces, clock, ids },
      members: { store: stores.members, clock, ids },
      budgets: { store: stores.budgets, spend: stores.workspaceSpend, clock, ids },
    }),
  ];
}
