/** Latency and throughput of endpoints in the last five minutes, for `sort` (docs/routing.md#the-order-of-attempts). */
import type { Clock } from '../../base/clock.js';
import { LruMap } from '../../base/memory/lru-map.js';
import type { EndpointStatistics } from '../types.js';

/** One complete answer. Times are milliseconds. */
export interface Measurement {
  readonly endpointId: string;
  /** From the start of the attempt to its first content. */
  readonly latencyMs: number;
  /** From the first to the last completion token; anything shorter counts as 1. */
  readonly generationTimeMs: number;
  readonly completionTokens: number;
}

/** Averages over a sliding window: latency per answer, throughput over the time of generation. */
export interface LatencyStatistics {
  record(measurement: Measurement): void;
  /** undefined without a recent measurement; throughput null where no tokens were counted. */
  of(endpointId: string): EndpointStatistics | undefined;
}

/** Buckets in a window, the current one included: nothing older than 5 minutes counts. */
const BUCKETS = 30;
const BUCKET_MS = 10_000;

/** Endpoints tracked at once, at some 2 KB each; the least recently used are dropped. */
const MAX_ENDPOINTS = 5_000;

interface Bucket {
  /** Number of the 10 s interval that it covers; slots are reused. */
  readonly number: number;
  answers: number;
  latencyMs: number;
  tokens: number;
  generationTimeMs: number;
}

/** Statistics without a measurement. */
export function createLatencyStatistics(clock: Clock): LatencyStatistics {
  const windows = new LruMap<string, (Bucket | undefined)[]>(MAX_ENDPOINTS);
  const currentBucket = () => Math.floor(clock.now() / BUCKET_MS);
  return {
    record({ endpointId, latencyMs, generationTimeMs, completionTokens }) {
      const bucket = bucketOf(windows.getOrMake(endpointId, newWindow), currentBucket());
      bucket.answers += 1;
      bucket.latencyMs += latencyMs;
      if (completionTokens === 0) return;
      bucket.tokens += completionTokens;
      bucket.generationTimeMs += Math.max(1, generationTimeMs);
    },
    of(endpointId) {
      const window = windows.get(endpointId);
      return window === undefined ? undefined : summary(window, currentBucket());
    },
  };
}

function newWindow(): (Bucket | undefined)[] {
  return Array.from({ length: BUCKETS }, () => undefined);
}

function bucketOf(window: (Bucket | undefined)[], number: number): Bucket {
  const slot = number % BUCKETS;
  const known = window[slot];
  if (known?.number === number) return known;
  const fresh: Bucket = { number, answers: 0, latencyMs: 0, tokens: 0, generationTimeMs: 0 };
  window[slot] = fresh;
  return fresh;
}

function summary(window: readonly (Bucket | undefined)[], current: number): EndpointStatistics | undefined {
  const sum = { answers: 0, latencyMs: 0, tokens: 0, generationTimeMs: 0 };
  for (const bucket of window) {
    if (bucket === undefined || bucket.number <= current - BUCKETS) continue;
    sum.answers += bucket.answers;
    sum.latencyMs += bucket.latencyMs;
    sum.tokens += bucket.tokens;
    sum.generationTimeMs += bucket.generationTimeMs;
  }
  if (sum.answers === 0) return undefined;
  return {
    latencyMs: sum.latencyMs / sum.answers,
    tokensPerSecond: sum.tokens === 0 ? null : (1000 * sum.tokens) / sum.generationTimeMs,
  };
}
