import { create } from '@bufbuild/protobuf';
import {
  type Generation as GenerationMessage,
  GenerationSchema,
} from '../../../gen/byway/v1/generations_pb.js';
import type { RecordNames } from '../../accounts/record-names.js';
import { isoTimestamp } from '../../base/clock.js';
import { nanoToUsd } from '../../base/money.js';
import type { Catalog } from '../../catalog/assembled/catalog.js';
import type { Generation, GenerationApi } from '../../inference/ports/generation.js';
import { defined } from './defined.js';
import { listOf } from './named-values.js';
import { apiKeyNames, byokKeyNames, workspaceNames } from './record-names.js';

/** What clients of compatible services call the work of each API. */
const API_TYPES: Readonly<Record<GenerationApi, string>> = {
  chat: 'completions',
  messages: 'completions',
  responses: 'completions',
  text_completions: 'completions',
  embeddings: 'embeddings',
  rerank: 'rerank',
};

export function generationMessage(
  generation: Generation,
  { providers }: Catalog,
  nameOfRecord: RecordNames,
): GenerationMessage {
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
    cached: generation.isCached,
    cancelled: generation.status === 'cancelled',
    status: generation.status,
    api: generation.api,
    omitted: [...generation.omitted],
    unpriced: [...generation.unpriced],
    excludedCounts: { ...generation.excludedCounts },
    tokensPrompt: generation.promptTokens,
    tokensCompletion: generation.completionTokens,
    nativeTokensPrompt: generation.promptTokens,
    nativeTokensCompletion: generation.completionTokens,
    nativeTokensReasoning: generation.reasoningTokens,
    nativeTokensCached: generation.cachedTokens,
    usage: nanoToUsd(generation.usageNanoUsd),
    totalCost: nanoToUsd(generation.usageNanoUsd),
    apiType: API_TYPES[generation.api],
    isByok: byokKeyId !== null,
    byokFee: nanoToUsd(generation.byokFeeNanoUsd),
    ...defined({
      provider,
      byokKeyId,
      finishReason,
      nativeFinishReason,
      reason: generation.reason,
      lane: generation.lane,
      sessionId: generation.sessionId,
      countedBy: generation.countedBy,
      serviceTier: generation.serviceTier,
      speed: generation.speed,
      inferenceGeo: generation.inferenceGeo,
      priceMode: generation.priceMode,
      runId: generation.runId,
      run: generation.run,
      endUser: generation.endUser,
      externalUser: generation.endUser,
      agentId: generation.agentId,
      parentAgentId: generation.parentAgentId,
      providerName: generation.providerName ?? nameOf(provider ?? '') ?? provider,
      latency: generation.latencyMs,
      generationTime: generation.generationTimeMs,
      upstreamInferenceCost: listCost === null ? null : nanoToUsd(listCost),
    }),
    ...apiKeyNames(apiKeyHash, nameOfRecord),
    ...workspaceNames(workspaceId, nameOfRecord),
    ...byokKeyNames(byokKeyId, nameOfRecord),
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
      ...byokKeyNames(response.byok_key_id, nameOfRecord),
    })),
  });
}
