import { elapsedMs } from '../../base/clock.js';
import type { Lane } from '../../catalog/formats.js';
import { withPassedOver } from '../attempts/attempt-order.js';
import type { AttemptContext } from '../attempts/runner.js';
import { RECORDED_APIS, type UnsettledGeneration } from '../ports/generation.js';
import type { InferenceRequest } from '../ports/inference-request.js';
import type { AdmittedRequest } from './reservation.js';
import type { Result } from './result.js';

/** What a record says of a request beside its result. */
interface Recorded extends Pick<AttemptContext, 'passedOver' | 'responses'> {
  readonly id: string;
  readonly isStreamed: boolean;
  readonly reservation: Pick<AdmittedRequest, 'attempts' | 'excludedCounts' | 'runId' | 'cache'>;
  readonly lane: Lane | null;
  readonly omitted: readonly string[];
  /** Unix milliseconds. */
  readonly startedAt: number;
  readonly firstContentAt: number | null;
  readonly endedAt: number;
}

/** A single literal: building it by spreading would take longer than the rest of the request. */
export function recordOfRun(
  { caller, requestId, session: sessionId, sent, facts, attribution }: InferenceRequest,
  { attempt, finishReason, nativeFinishReason, metered, mode, status, reason, countedBy }: Result,
  { id, isStreamed, reservation, lane, omitted, passedOver, responses, ...times }: Recorded,
): UnsettledGeneration {
  const { startedAt, firstContentAt, endedAt } = times;
  const { cache, attempts, excludedCounts, runId } = reservation;
  const hit = cache?.kind === 'hit' ? cache : null;
  return {
    id,
    accountId: caller.accountId,
    workspaceId: caller.workspaceId,
    apiKeyHash: caller.apiKeyHash,
    userId: caller.userId,
    requestId,
    model: (attempt ?? hit?.attempt ?? attempts[0])?.endpoint.modelId ?? facts.model ?? '',
    requestedModel: facts.model ?? facts.models?.[0] ?? '',
    provider: attempt?.provider.slug ?? null,
    providerName: attempt?.provider.name ?? null,
    endpoint: attempt?.endpoint.id ?? null,
    byokKeyId: attempt?.key?.id ?? null,
    isStreamed,
    isCached: hit !== null,
    status,
    reason,
    httpStatus: null,
    message: null,
    api: RECORDED_APIS[sent.format],
    lane,
    omitted: hit?.kept.omitted ?? omitted,
    sessionId,
    traceId: null,
    ip: null,
    requests: 1,
    finishReason,
    nativeFinishReason,
    latencyMs: firstContentAt === null ? null : elapsedMs(startedAt, firstContentAt),
    generationTimeMs: firstContentAt === null ? null : elapsedMs(firstContentAt, endedAt),
    promptTokens: metered?.promptTokens ?? 0,
    completionTokens: metered?.completionTokens ?? 0,
    reasoningTokens: metered?.reasoningTokens ?? 0,
    cachedTokens: metered?.cachedTokens ?? 0,
    countedBy,
    serviceTier: mode.serviceTier,
    speed: mode.speed,
    inferenceGeo: mode.inferenceGeo,
    priceMode: mode.priceMode,
    unpriced: mode.unpriced,
    excludedCounts: withPassedOver(excludedCounts, passedOver),
    providerResponses: responses,
    createdAt: startedAt,
    runId,
    run: attribution.run?.name ?? null,
    endUser: attribution.endUser,
    agentId: attribution.agentId,
    parentAgentId: attribution.parentAgentId,
  };
}
