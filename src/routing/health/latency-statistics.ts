/** What this gateway measured of endpoints in the last five minutes, for `sort` (interface section 6). */
import type { Clock } from '../../base/clock.js';
import { LruMap } from '../../base/lru-map.js';
import type { EndpointStatistics } from '../types.js';

/** One answer that came whole. Times are milliseconds. */
export interface Measurement {
  readonly endpointId: string;
  /** From the start of the attempt to its first content. */
  readonly latencyMs: number;
  /** In which the completion tokens came; what is too short to be measured counts as 1. */
  readonly generationTimeMs: number;
  readonly completionTokens: number;
}

/** Means over a sliding window: latency over answers, throughput over the time in which tokens came. */
export interface LatencyStatistics {
  record(measurement: Measurement): void;
  /** undefined where nothing was measured lately; no throughput where no tokens came. */
  of(endpointId: string): EndpointStatistics | undefined;
}

/** A window is this many buckets long, the one that is being filled among them: nothing older than 5 minutes counts. */
const BUCKETS = 30;
const BUCKET_MS = 10_000;

/** Endpoints remembered at once, at some 2 KB each; those neither measured nor asked for the longest are forgotten. */
const MAX_ENDPOINTS = 5_000;

interface Bucket {
  /** Of the span of time that it counts; buckets are used again and again. */
  readonly number: number;
  answers: number;
  latencyMs: number;
  tokens: number;
  generationTimeMs: number;
}

/** Figures of nothing yet. */
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
