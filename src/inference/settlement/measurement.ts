import type { Measurement } from '../../routing/health/latency-statistics.js';
import { kindOfStatus } from '../attempts/failure.js';
import type { ProviderResponse, UnsettledGeneration } from './generation.js';

/**
 * What a generation tells of the endpoint that served it; undefined when none served, or not to the end. An answer in
 * one piece shows its first content when it is whole, so its time is its latency and its generation time at once.
 */
export function measurementOf(generation: UnsettledGeneration): Measurement | undefined {
  const { endpoint, isCancelled, finishReason, isStreamed, generationTimeMs, completionTokens } = generation;
  const served = generation.providerResponses.at(-1);
  if (endpoint === null || served === undefined || isCancelled || finishReason === 'error') return undefined;
  const latencyMs = served.latency_ms;
  return {
    endpointId: endpoint,
    latencyMs,
    generationTimeMs: isStreamed ? (generationTimeMs ?? 0) : latencyMs,
    completionTokens,
  };
}

/** How an attempt ended, in one word of a small set: `served`, or what failed. */
export function attemptOutcome({ status, error }: ProviderResponse): string {
  if (error !== null) return error;
  return status === 200 ? 'served' : kindOfStatus(status ?? 0);
}
