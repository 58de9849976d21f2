/**
 * Measures latency and throughput of candidates over the last five minutes, for `sort`
 * (docs/routing.md#the-order-of-attempts).
 */
import type { Clock } from '../../base/clock.js';
import { OwnedMap } from '../../base/memory/owned-map.js';
import type { EndpointStatistics } from '../types.js';
import { type AccountCandidate, candidateName } from './account-candidate.js';
import { QUORUM } from './witnesses.js';

/** One complete answer. Times are in milliseconds. */
export interface Measurement extends AccountCandidate {
  /** From the start of the attempt to its first content. */
  readonly latencyMs: number;
  /** From the first to the last completion token. Anything shorter counts as 1. */
  readonly generationTimeMs: number;
  readonly completionTokens: number;
}

/**
 * Averages over a sliding window: latency per answer, throughput over the time of generation. On shared capacity this
 * is the median over accounts, if at least `SETTLED` have measured. Otherwise, and with a key, it is the account's own
 * average; if it has none, the median of at least `QUORUM` accounts. So an account that sends huge prompts, alone or
 * with an accomplice, can't change the numbers of an account that has measured.
 */
export interface LatencyStatistics {
  record(measurement: Measurement): void;
  /** undefined without a recent measurement. Throughput is null if no tokens were counted. */
  of(candidate: AccountCandidate): EndpointStatistics | undefined;
}

/** Buckets of a window, including the current one: nothing older than 5 minutes counts. */
const BUCKETS = 30;
const BUCKET_MS = 10_000;

/**
 * Maximum of candidates, over all accounts, at some 2 KB each. Beyond it the account with the most loses its oldest.
 */
const MAX_WINDOWS = 10_000;

/** Number of accounts from which on two of them can't move the median out of the range of the others. */
const SETTLED = 5;

/** Maximum of accounts whose measurements of an endpoint are compared: those that measured last. */
const MAX_ACCOUNTS = 16;

interface Bucket {
  /** Number of the 10 s interval that the bucket covers; buckets are reused. */
  readonly number: number;
  answers: number;
  latencyMs: number;
  tokens: number;
  generationTimeMs: number;
}

type SlidingWindow = (Bucket | undefined)[];

export function createLatencyStatistics(clock: Clock): LatencyStatistics {
  /** By shared candidate, of which a catalogue has a few thousand, and account. */
  const shared = new Map<string, Map<string, SlidingWindow>>();
  const windows = new OwnedMap<SlidingWindow>(MAX_WINDOWS, (accountId, name) => {
    shared.get(name)?.delete(accountId);
  });
  const currentBucket = () => Math.floor(clock.now() / BUCKET_MS);
  return {
    record(measurement) {
      const { accountId, byokKeyId } = measurement;
      const name = candidateName(measurement);
      const window = windows.get(accountId, name) ?? newWindow();
      windows.set(accountId, name, window);
      add(measurement, bucketOf(window, currentBucket()));
      if (byokKeyId !== null) return;
      const accounts = shared.get(name) ?? new Map<string, SlidingWindow>();
      accounts.delete(accountId);
      accounts.set(accountId, window);
      if (accounts.size > MAX_ACCOUNTS) accounts.delete(accounts.keys().next().value ?? accountId);
      shared.set(name, accounts);
    },
    of(candidate) {
      const current = currentBucket();
      const name = candidateName(candidate);
      const window = windows.get(candidate.accountId, name);
      const own = window === undefined ? undefined : summary(window, current);
      if (candidate.byokKeyId !== null) return own;
      const accounts = [...(shared.get(name)?.values() ?? [])];
      const all = accounts.flatMap((one) => summary(one, current) ?? []);
      const latencyMs = settled(
        own?.latencyMs ?? null,
        all.map((one) => one.latencyMs),
      );
      const tokensPerSecond = settled(
        own?.tokensPerSecond ?? null,
        all.map((one) => one.tokensPerSecond),
      );
      return latencyMs === null && tokensPerSecond === null ? undefined : { latencyMs, tokensPerSecond };
    },
  };
}

/** The value for an account that has measured `own`, when all accounts have measured `values`. */
function settled(own: number | null, values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null).sort((a, b) => a - b);
  if (known.length < SETTLED && own !== null) return own;
  return known.length < QUORUM ? null : (known[Math.floor((known.length - 1) / 2)] ?? null);
}

function add({ latencyMs, generationTimeMs, completionTokens }: Measurement, bucket: Bucket): void {
  bucket.answers += 1;
  bucket.latencyMs += latencyMs;
  if (completionTokens === 0) return;
  bucket.tokens += completionTokens;
  bucket.generationTimeMs += Math.max(1, generationTimeMs);
}

function newWindow(): SlidingWindow {
  return Array.from({ length: BUCKETS }, () => undefined);
}

function bucketOf(window: SlidingWindow, number: number): Bucket {
  const index = number % BUCKETS;
  const known = window[index];
  if (known?.number === number) return known;
  const fresh: Bucket = { number, answers: 0, latencyMs: 0, tokens: 0, generationTimeMs: 0 };
  window[index] = fresh;
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
