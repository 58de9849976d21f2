import { create } from '@bufbuild/protobuf';
import {
  type Generation as GenerationMessage,
  GenerationSchema,
  GenerationService,
  type ListGenerationsRequest,
} from '../../../gen/byway/v1/generations_pb.js';
import type { AccountStore } from '../../accounts/account.js';
import { orderViolations } from '../../accounts/policy/rules.js';
import { isoTimestamp } from '../../base/clock.js';
import { nanoToUsd } from '../../base/money.js';
import { notFound } from '../../base/problem.js';
import type { Catalog, CatalogCache } from '../../catalog/catalog.js';
import type { ApiKeyPrincipal, ManagementKeyPrincipal } from '../../identity/principal.js';
import type {
  Generation,
  GenerationFilter,
  GenerationScope,
  GenerationStore,
} from '../../inference/settlement/generation.js';
import { admitted, managerOf, principalOf } from '../caller.js';
import { defineService, type ServiceDefinition } from '../define-service.js';
import { defined } from '../messages/defined.js';
import { listOf } from '../messages/named-values.js';
import { pageOf } from '../messages/page.js';
import { instantOf, instantViolations, parseInstant } from '../messages/values.js';
import { workspaceViolations } from '../validation/workspace-violations.js';

export interface GenerationDependencies {
  readonly store: Pick<GenerationStore, 'find' | 'list'>;
  readonly catalogs: Pick<CatalogCache, 'current'>;
  readonly accounts: Pick<AccountStore, 'findWorkspace'>;
}

export function generationService({ store, catalogs, accounts }: GenerationDependencies): ServiceDefinition {
  return defineService(
    GenerationService,
    {
      async getGeneration({ id }, context) {
        const scope = scopeOf(principalOf(context, 'api_key', 'management_key'));
        const generation = await store.find(id.replace(MESSAGE_PREFIX, ''), scope);
        if (generation === undefined) throw notFound();
        return { data: generationMessage(generation, await catalogs.current()) };
      },
      async listGenerations(request, context) {
        const { accountId } = managerOf(context);
        const page = await store.list(accountId, filterOf(request), pageOf(request));
        const catalog = await catalogs.current();
        return {
          data: page.generations.map((one) => generationMessage(one, catalog)),
          totalCount: page.totalCount,
          totalCountExact: page.isTotalExact,
        };
      },
    },
    {
      checks: {
        async listGenerations({ from, to, workspaceId }, caller) {
          const { accountId } = admitted(caller, 'management_key');
          const find = (id: string) => accounts.findWorkspace(accountId, id);
          return [
            ...instantViolations('from', from),
            ...instantViolations('to', to),
            ...orderViolations(parseInstant(from ?? ''), parseInstant(to ?? '')),
            ...(await workspaceViolations(workspaceId, async (id) => (await find(id)) !== undefined)),
          ];
        },
      },
    },
  );
}

/** An API key sees its own, a management key its account's. */
function scopeOf(principal: ApiKeyPrincipal | ManagementKeyPrincipal): GenerationScope {
  return {
    accountId: principal.accountId,
    apiKeyHash: principal.kind === 'api_key' ? principal.keyHash : null,
  };
}

function filterOf({ from, to, apiKeyHash, workspaceId }: ListGenerationsRequest): GenerationFilter {
  return {
    from: from === undefined ? null : instantOf('from', from),
    to: to === undefined ? null : instantOf('to', to),
    apiKeyHash: apiKeyHash ?? null,
    workspaceId: workspaceId ?? null,
  };
}

/** Answers in the Messages format have the generation's id behind it. */
const MESSAGE_PREFIX = /^msg_/;

function generationMessage(generation: Generation, { providers }: Catalog): GenerationMessage {
  const { id, model, provider, apiKeyHash, workspaceId, requestId, byokKeyId, finishReason } = generation;
  const { nativeFinishReason, upstreamInferenceCostNanoUsd: listCost } = generation;
  return create(GenerationSchema, {
    id,
    model,
    apiKeyHash,
    workspaceId,
    requestId,
    createdAt: isoTimestamp(generation.createdAt),
    streamed: generation.isStreamed,
    cancelled: generation.status === 'cancelled',
    api: generation.api,
    omitted: [...generation.omitted],
    tokensPrompt: generation.promptTokens,
    tokensCompletion: generation.completionTokens,
    nativeTokensReasoning: generation.reasoningTokens,
    nativeTokensCached: generation.cachedTokens,
    usage: nanoToUsd(generation.usageNanoUsd),
    isByok: byokKeyId !== null,
    byokFee: nanoToUsd(generation.byokFeeNanoUsd),
    ...defined({
      provider,
      byokKeyId,
      finishReason,
      nativeFinishReason,
      lane: generation.lane,
      sessionId: generation.sessionId,
      providerName: generation.providerName ?? providers.get(provider ?? '')?.name ?? null,
      latency: generation.latencyMs,
      generationTime: generation.generationTimeMs,
      upstreamInferenceCost: listCost === null ? null : nanoToUsd(listCost),
    }),
    providerResponses: generation.providerResponses.map((response) => ({
      provider: response.provider,
      providerName: response.provider_name,
      isByok: response.is_byok,
      endpoint: response.endpoint,
      latencyMs: response.latency_ms,
      ...defined({
        status: response.status,
        error: response.error,
        byokKeyId: response.byok_key_id,
        // Records of earlier versions have no such member.
        adapted: listOf(response.adapted ?? null),
      }),
    })),
  });
}
