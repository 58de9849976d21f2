import type { LatencyStatistics } from '../../routing/health/latency-statistics.js';
import type { GenerationStore } from './generation.js';
import { measurementOf } from './measurement.js';

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
