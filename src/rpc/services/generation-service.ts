import { create } from '@bufbuild/protobuf';
import {
  type Generation as GenerationMessage,
  GenerationSchema,
  GenerationService,
  type ListGenerationsRequest,
  ListGenerationsRequestSchema,
} from '../../../gen/byway/v1/generations_pb.js';
import type { AccountStore } from '../../accounts/account.js';
import { orderViolations } from '../../accounts/policy/rules.js';
import { isoTimestamp } from '../../base/clock.js';
import { nanoToUsd } from '../../base/money.js';
import { notFound, type Violation } from '../../base/problem.js';
import type { Catalog, CatalogCache } from '../../catalog/catalog.js';
import type { ApiKeyPrincipal, ManagementKeyPrincipal } from '../../identity/principal.js';
import {
  GENERATION_STATUSES,
  type Generation,
  type GenerationFilter,
  type GenerationPosition,
  type GenerationScope,
  type GenerationStatus,
  type GenerationStore,
} from '../../inference/settlement/generation.js';
import { admitted, callerOf, managerOf, principalOf } from '../caller.js';
import { defineService, type ServiceDefinition } from '../define-service.js';
import { cursorOf, cursorViolations, positionOf } from '../messages/cursor.js';
import { defined } from '../messages/defined.js';
import { listOf } from '../messages/named-values.js';
import { pageOf } from '../messages/page.js';
import { instantOf, instantViolations, parseInstant } from '../messages/values.js';
import { wordsOf, wordViolations } from '../messages/words.js';
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
        const { limit, offset } = pageOf(request);
        const after = positionOf(request.cursor);
        const page = await store.list(accountId, filterOf(request), { limit, offset, after });
        const catalog = await catalogs.current();
        return {
          data: page.generations.map((one) => generationMessage(one, catalog)),
          totalCount: page.totalCount,
          totalCountExact: page.isTotalExact,
          links: page.next === null ? {} : { next: callerOf(context).baseUrl + nextPage(request, page.next) },
        };
      },
    },
    {
      checks: {
        async listGenerations(request, caller) {
          const { accountId } = admitted(caller, 'management_key');
          const { from, to, workspaceId, cursor, offset } = request;
          const isOwn = async (id: string) => (await accounts.findWorkspace(accountId, id)) !== undefined;
          const unknown = await Promise.all(
            (wordsOf(workspaceId) ?? []).map((id) => workspaceViolations(id, isOwn)),
          );
          return [
            ...instantViolations('from', from),
            ...instantViolations('to', to),
            ...orderViolations(parseInstant(from ?? ''), parseInstant(to ?? '')),
            ...cursorViolations(cursor, offset),
            ...wordViolations(request, WORD_LISTS),
            ...statusViolations(request),
            ...(unknown.find((violations) => violations.length > 0) ?? []),
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

const WORD_LISTS = ['apiKeyHash', 'workspaceId', 'status', 'model', 'provider', 'userId', 'api'] as const;

function statusViolations({ status }: ListGenerationsRequest): Violation[] {
  if ((wordsOf(status) ?? []).every(isStatus)) return [];
  return [{ field: 'status', rule: 'in', message: `must be among ${GENERATION_STATUSES.join(', ')}` }];
}

function isStatus(word: string): word is GenerationStatus {
  return GENERATION_STATUSES.some((status) => status === word);
}

function filterOf(request: ListGenerationsRequest): GenerationFilter {
  const { from, to } = request;
  return {
    from: from === undefined ? null : instantOf('from', from),
    to: to === undefined ? null : instantOf('to', to),
    apiKeyHashes: wordsOf(request.apiKeyHash),
    workspaceIds: wordsOf(request.workspaceId),
    userIds: wordsOf(request.userId),
    models: wordsOf(request.model),
    providers: wordsOf(request.provider),
    apis: wordsOf(request.api),
    statuses: wordsOf(request.status)?.filter(isStatus) ?? null,
    isByok: request.isByok ?? null,
  };
}

/** The path of the same request behind a place. */
function nextPage(request: ListGenerationsRequest, next: GenerationPosition): string {
  const query = new URLSearchParams({ cursor: cursorOf(next) });
  for (const { localName, name } of ListGenerationsRequestSchema.fields) {
    const value = request[localName as keyof ListGenerationsRequest];
    if (value !== undefined && name !== 'cursor' && name !== 'offset') query.set(name, String(value));
  }
  return `/api/v1/generations?${query}`;
}

/** Answers in the Messages format have the generation's id behind it. */
const MESSAGE_PREFIX = /^msg_/;

function generationMessage(generation: Generation, { providers }: Catalog): GenerationMessage {
  const { id, model, provider, apiKeyHash, workspaceId, requestId, byokKeyId, finishReason } = generation;
  const { nativeFinishReason, upstreamInferenceCostNanoUsd: listCost } = generation;
  const nameOf = (slug: string) => providers.get(slug)?.name;
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
      providerName: generation.providerName ?? nameOf(provider ?? '') ?? provider,
      latency: generation.latencyMs,
      generationTime: generation.generationTimeMs,
      upstreamInferenceCost: listCost === null ? null : nanoToUsd(listCost),
    }),
    providerResponses: generation.providerResponses.map((response) => ({
      provider: response.provider,
      providerName: response.provider_name ?? nameOf(response.provider) ?? response.provider,
      isByok: response.is_byok,
      endpoint: response.endpoint,
      latencyMs: response.latency_ms,
      ...defined({
        status: response.status,
        error: response.error,
        byokKeyId: response.byok_key_id,
        adapted: listOf(response.adapted),
      }),
    })),
  });
}
