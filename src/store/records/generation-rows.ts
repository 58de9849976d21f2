import type { Insertable, Selectable } from 'kysely';
import type { NanoUsd } from '../../base/money.js';
import type { FinishReason } from '../../formats/chat/types.js';
import type {
  Generation,
  GenerationCharges,
  GenerationStatus,
  RecordedResponse,
  UnsettledGeneration,
} from '../../inference/ports/generation.js';
import type { ExclusionCounts } from '../../routing/types.js';
import type { GenerationTable } from '../schema/usage-schema.js';

/** What of a record only its receipt tells. */
interface ReceiptColumns {
  /** null: it has none. */
  readonly termsId: number | null;
  readonly countsJson: string | null;
  readonly allowanceLeftNanoUsd: NanoUsd | null;
}

/** Takes them as they are: one object with all members of them would cost more than the rest of a settlement. */
export function rowOf(
  generation: UnsettledGeneration,
  charges: GenerationCharges,
  receipt: ReceiptColumns,
): Insertable<GenerationTable> {
  return {
    id: generation.id,
    account_id: generation.accountId,
    workspace_id: generation.workspaceId,
    api_key_hash: generation.apiKeyHash,
    user_id: generation.userId,
    request_id: generation.requestId,
    model: generation.model,
    provider: generation.provider,
    endpoint: generation.endpoint === defaultEndpoint(generation) ? null : generation.endpoint,
    byok_key_id: generation.byokKeyId,
    streamed: Number(generation.isStreamed),
    cancelled: Number(generation.status === 'cancelled'),
    finish_reason: generation.finishReason,
    native_finish_reason: generation.nativeFinishReason,
    latency_ms: generation.latencyMs,
    generation_time_ms: generation.generationTimeMs,
    tokens_prompt: generation.promptTokens,
    tokens_completion: generation.completionTokens,
    native_tokens_reasoning: generation.reasoningTokens,
    native_tokens_cached: generation.cachedTokens,
    usage_nano_usd: charges.usageNanoUsd,
    upstream_inference_cost_nano_usd: charges.upstreamInferenceCostNanoUsd,
    byok_fee_nano_usd: charges.byokFeeNanoUsd,
    provider_responses_json: JSON.stringify(
      generation.providerResponses.map((response) => storedResponse(response, generation)),
    ),
    created_at: generation.createdAt,
    status: generation.status,
    reason: generation.reason,
    http_status: generation.httpStatus,
    message: generation.message,
    requested_model: generation.requestedModel === generation.model ? null : generation.requestedModel,
    api: generation.api,
    lane: generation.lane,
    omitted_json: generation.omitted.length === 0 ? null : JSON.stringify(generation.omitted),
    session_id: generation.sessionId,
    trace_id: generation.traceId,
    ip: generation.ip,
    requests: generation.requests,
    counted_by: generation.countedBy,
    excluded_counts_json: jsonOf(generation.excludedCounts),
    service_tier: generation.serviceTier,
    speed: generation.speed,
    inference_geo: generation.inferenceGeo,
    price_mode: generation.priceMode,
    unpriced_json: generation.unpriced.length === 0 ? null : JSON.stringify(generation.unpriced),
    run_id: generation.runId,
    run: generation.run,
    end_user: generation.endUser,
    agent_id: generation.agentId,
    parent_agent_id: generation.parentAgentId,
    terms_id: receipt.termsId,
    counts_json: receipt.countsJson,
    allowance_left_nano_usd: receipt.allowanceLeftNanoUsd,
    cached: generation.isCached ? 1 : 0,
  };
}

export function generationOfRow(row: Selectable<GenerationTable>): Generation {
  // JSON is written only by `rowOf`, and never changed.
  const stored = JSON.parse(row.provider_responses_json) as readonly StoredResponse[];
  const served = {
    provider: row.provider,
    endpoint: row.endpoint ?? defaultEndpoint(row),
    byokKeyId: row.byok_key_id,
  };
  const providerResponses = stored.map((response) => recordedResponse(response, served));
  return {
    id: row.id,
    accountId: row.account_id,
    workspaceId: row.workspace_id,
    apiKeyHash: row.api_key_hash,
    userId: row.user_id,
    requestId: row.request_id,
    model: row.model,
    provider: row.provider,
    providerName:
      providerResponses.findLast(({ provider }) => provider === row.provider)?.provider_name ?? null,
    endpoint: served.endpoint,
    byokKeyId: row.byok_key_id,
    isStreamed: row.streamed === 1,
    status: row.status ?? statusOfOld(row),
    reason: row.reason,
    httpStatus: row.http_status,
    message: row.message,
    requestedModel: row.requested_model ?? row.model,
    api: row.api ?? 'chat',
    lane: row.lane,
    omitted: row.omitted_json === null ? [] : (JSON.parse(row.omitted_json) as readonly string[]),
    sessionId: row.session_id,
    traceId: row.trace_id,
    ip: row.ip,
    requests: row.requests,
    finishReason: row.finish_reason as FinishReason | null,
    nativeFinishReason: row.native_finish_reason,
    latencyMs: row.latency_ms,
    generationTimeMs: row.generation_time_ms,
    promptTokens: row.tokens_prompt,
    completionTokens: row.tokens_completion,
    reasoningTokens: row.native_tokens_reasoning,
    cachedTokens: row.native_tokens_cached,
    countedBy: row.counted_by,
    excludedCounts:
      row.excluded_counts_json === null ? {} : (JSON.parse(row.excluded_counts_json) as ExclusionCounts),
    serviceTier: row.service_tier,
    speed: row.speed,
    inferenceGeo: row.inference_geo,
    priceMode: row.price_mode,
    unpriced: row.unpriced_json === null ? [] : (JSON.parse(row.unpriced_json) as readonly string[]),
    runId: row.run_id,
    run: row.run,
    endUser: row.end_user,
    agentId: row.agent_id,
    parentAgentId: row.parent_agent_id,
    usageNanoUsd: row.usage_nano_usd,
    upstreamInferenceCostNanoUsd: row.upstream_inference_cost_nano_usd,
    byokFeeNanoUsd: row.byok_fee_nano_usd,
    providerResponses,
    createdAt: row.created_at,
    isCached: row.cached === 1,
  };
}

/** Null for an empty object, which most records have. */
function jsonOf(counts: ExclusionCounts): string | null {
  for (const _reason in counts) return JSON.stringify(counts);
  return null;
}

/** The status of a record that is older than the column. */
function statusOfOld({ cancelled, provider }: Selectable<GenerationTable>): GenerationStatus {
  if (cancelled === 1) return 'cancelled';
  return provider === null ? 'failed' : 'ok';
}

/** What most endpoints are called, so that it need not be stored. */
function defaultEndpoint({ provider, model }: Pick<Generation, 'provider' | 'model'>): string | null {
  return provider === null ? null : `${provider}/${model}`;
}

/** What is left out is as in the record, or as in an attempt that served; the name is the catalogue's. */
type StoredResponse = Pick<RecordedResponse, 'latency_ms'> & Partial<RecordedResponse>;

type Served = Pick<Generation, 'provider' | 'endpoint' | 'byokKeyId'>;

const SERVED_STATUS = 200;

function storedResponse(response: RecordedResponse, served: Served): StoredResponse {
  const { provider, endpoint, byok_key_id, status, error, adapted, latency_ms } = response;
  return {
    ...(provider !== served.provider && { provider }),
    ...(endpoint !== served.endpoint && { endpoint }),
    ...(byok_key_id !== served.byokKeyId && { byok_key_id }),
    ...(status !== SERVED_STATUS && { status }),
    ...(error !== null && { error }),
    ...(adapted !== null && { adapted }),
    latency_ms,
  };
}

function recordedResponse(stored: StoredResponse, served: Served): RecordedResponse {
  const { provider, endpoint, byok_key_id = served.byokKeyId, status = SERVED_STATUS, latency_ms } = stored;
  return {
    provider: provider ?? served.provider ?? '',
    provider_name: stored.provider_name ?? null,
    status,
    error: stored.error ?? null,
    is_byok: byok_key_id !== null,
    byok_key_id,
    endpoint: endpoint ?? served.endpoint ?? '',
    latency_ms,
    adapted: stored.adapted ?? null,
  };
}
