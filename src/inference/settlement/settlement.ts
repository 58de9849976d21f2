/** Keeps what could not be settled because the database was in trouble, and settles it once that is over. */
import type { Charge } from '../../ledger/settlement.js';
import type { LatencyStatistics, Measurement } from '../../routing/health/latency-statistics.js';
import { kindOfStatus } from '../attempts/failure.js';
import type { GenerationStore, ProviderResponse, UnsettledGeneration } from './generation.js';

/** How often it is tried again, and how long it takes at most to notice that the database is back. */
const RETRY_MS = 1_000;

/** Requests remembered at once; more than are open at the same time when a database goes away. */
const MAX_PENDING = 10_000;

/** Where it is told what was kept and what was lost, for the operator. */
export interface SettlementLog {
  error(fields: object, message: string): void;
}

interface Pending {
  readonly generation: UnsettledGeneration;
  readonly charge: Charge | null;
}

/** A store that keeps trying: what was spent upstream is charged, if late, though the caller is told of the failure. */
export interface SettlementRetry extends Pick<GenerationStore, 'settle'> {
  /** Tries once more what is still kept, and keeps nothing any longer. */
  close(): Promise<void>;
}

/** Wraps the store. What was committed although its commit was told to have failed is not settled again. */
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
  /** Each once, those that failed before at the end: one that can never be written holds up no other. */
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

type Settling = Pick<GenerationStore, 'settle'>;

/** Counts what is settled, and what it comes to. */
export interface SettlementMeter {
  settled(
    generation: Parameters<Settling['settle']>[0],
    settling: ReturnType<Settling['settle']>,
  ): ReturnType<Settling['settle']>;
}

/** A settlement that the statistics of endpoints and the metrics hear of. */
export function meteredSettlement(
  settlement: Settling,
  statistics: Pick<LatencyStatistics, 'record'>,
  meter: SettlementMeter,
): Settling {
  return {
    settle(generation, charge) {
      const measured = measurementOf(generation);
      if (measured !== undefined) statistics.record(measured);
      return meter.settled(generation, settlement.settle(generation, charge));
    },
  };
}

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
