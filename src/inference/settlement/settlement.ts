/** Settles generations. Retries what the database could not store, and feeds statistics and metrics. */
import type { Charge } from '../../ledger/settlement.js';
import type { Measurements } from '../../routing/health/endpoint-measurements.js';
import type { FastestRates, MeasuredRate } from '../../routing/health/fastest-rates.js';
import type { LatencyStatistics, Measurement } from '../../routing/health/latency-statistics.js';
import { type FailureCode, type FailureKind, kindOfStatus } from '../ports/failure.js';
import type { GenerationStore, RecordedResponse, UnsettledGeneration } from '../ports/generation.js';

type SettlementStore = Pick<GenerationStore, 'settle'>;

/** Tells the operator what will be retried, and what is lost. */
export interface SettlementLog {
  error(fields: object, message: string): void;
}

/** Retries failed settlements, so that usage is charged in the end although the caller got an error. */
export interface SettlementRetry extends SettlementStore {
  /** Retries everything pending once more, then drops the rest. */
  close(): Promise<void>;
}

/** Interval of retries. It also limits how long it takes to notice that the database is back. */
const RETRY_MS = 1_000;

/** More than the requests that are in flight when a database becomes unavailable. */
const MAX_PENDING = 10_000;

interface Pending {
  readonly generation: UnsettledGeneration;
  readonly charge: Charge | null;
}

/** A settlement that was committed, although its commit was reported as failed, is not repeated. */
export function retrySettlement(
  store: Pick<GenerationStore, 'settle' | 'find'>,
  log: SettlementLog,
): SettlementRetry {
  const pending = new Map<string, Pending>();
  let timer: NodeJS.Timeout | undefined;

  const schedule = () => {
    timer = setTimeout(
      () => void settlePending().finally(() => pending.size > 0 && schedule()),
      RETRY_MS,
    ).unref();
  };
  /** Tries each once. A settlement that fails moves to the end, so that it can't block the others. */
  const settlePending = async () => {
    for (const [id, { generation, charge }] of [...pending]) {
      pending.delete(id);
      try {
        const scope = { accountId: generation.accountId, apiKeyHash: null };
        if ((await store.find(id, scope)) === undefined) await store.settle(generation, charge);
      } catch {
        pending.set(id, { generation, charge });
      }
    }
  };

  return {
    async settle(generation, charge) {
      try {
        return await store.settle(generation, charge);
      } catch (error) {
        const { id } = generation;
        if (pending.size < MAX_PENDING) {
          if (pending.size === 0) schedule();
          pending.set(id, { generation, charge });
          log.error({ err: error, generation: id }, 'could not settle a request; it is tried again');
        } else log.error({ err: error, generation: id }, 'could not settle a request; it is lost');
        throw error;
      }
    },
    async close() {
      clearTimeout(timer);
      await settlePending();
      for (const id of pending.keys()) log.error({ generation: id }, 'a request was never settled');
      pending.clear();
    },
  };
}

/** Counts settlements and their charges; returns the promise that it was given. */
export interface SettlementMeter {
  settled(
    generation: Parameters<SettlementStore['settle']>[0],
    settling: ReturnType<SettlementStore['settle']>,
  ): ReturnType<SettlementStore['settle']>;
}

/** What completed answers are measured by. */
export interface AnswerStatistics {
  readonly latencies: Pick<LatencyStatistics, 'record'>;
  readonly rates: Pick<FastestRates, 'record'>;
  readonly measurements: Pick<Measurements, 'attempted' | 'answered'>;
}

/** Records every settlement in the statistics and the metrics. */
export function meteredSettlement(
  store: SettlementStore,
  { latencies, rates, measurements }: AnswerStatistics,
  meter: SettlementMeter,
): SettlementStore {
  return {
    settle(generation, charge) {
      const measurement = measurementOf(generation);
      if (measurement !== undefined) {
        latencies.record(measurement);
        rates.record(measurement);
        if (measurement.byokKeyId === null) measurements.answered(measurement);
      }
      for (const attempt of generation.providerResponses) {
        const isAnswered = isUp(attempt);
        if (!attempt.is_byok && isAnswered !== null) measurements.attempted(attempt.endpoint, isAnswered);
      }
      return meter.settled(generation, store.settle(generation, charge));
    },
  };
}

/** How an attempt ended, as a metrics label: `served`, its error, or the class of its status. */
export function attemptOutcome({ status, error }: RecordedResponse): string {
  if (error !== null) return error;
  return status === 200 ? 'served' : kindOfStatus(status ?? 0);
}

/** Whether the endpoint answered or failed; null where the request, the credential or this gateway decided. */
function isUp(attempt: RecordedResponse): boolean | null {
  const outcome = attemptOutcome(attempt);
  if (outcome === 'served') return true;
  return FAULTS_OF_ENDPOINTS.has(outcome) ? false : null;
}

/** Among the errors and the classes of statuses. */
const FAULTS_OF_ENDPOINTS: ReadonlySet<string> = new Set([
  'upstream_error',
  'timeout',
  'connect',
  'dns',
  'tls',
  'reset',
  'truncated',
  'malformed',
] satisfies (FailureKind | FailureCode)[]);

/**
 * What a generation measures about its endpoint; undefined if no attempt completed its answer. An answer in one piece
 * shows its first content only when it is complete, so its latency is also its generation time.
 */
function measurementOf(generation: UnsettledGeneration): (Measurement & MeasuredRate) | undefined {
  const {
    accountId,
    endpoint,
    byokKeyId,
    status,
    finishReason,
    isStreamed,
    generationTimeMs,
    completionTokens,
  } = generation;
  const response = generation.providerResponses.at(-1);
  if (endpoint === null || response === undefined || status === 'cancelled' || finishReason === 'error') {
    return undefined;
  }
  const latencyMs = response.latency_ms;
  return {
    accountId,
    endpointId: endpoint,
    byokKeyId,
    latencyMs,
    generationTimeMs: isStreamed ? (generationTimeMs ?? 0) : latencyMs,
    totalMs: isStreamed ? latencyMs + (generationTimeMs ?? 0) : latencyMs,
    completionTokens,
  };
}
