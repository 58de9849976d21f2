/**
 * What this process has measured of endpoints over shared capacity, by all accounts, for whoever lists endpoints: how many
 * requests they answered, and how fast (docs/routing.md#measured-endpoints). Requests with keys of callers say more of those
 * keys and their hosts, and are left out.
 */
import type { Clock } from '../../base/clock.js';
import { LruMap } from '../../base/memory/lru-map.js';

/** What so many percent of the measurements are at most. */
export interface Percentiles {
  readonly p50: number;
  readonly p75: number;
  readonly p90: number;
  readonly p99: number;
}

/** Uptime is in percent; null where nothing was measured. */
export interface EndpointMeasurements {
  readonly uptimeLast5m: number | null;
  readonly uptimeLast30m: number | null;
  readonly uptimeLast1d: number | null;
  /** Milliseconds to the first content, in the last 30 minutes. */
  readonly latency: Percentiles | null;
  /** Tokens per second, likewise. */
  readonly throughput: Percentiles | null;
}

/** A complete answer. Times are in milliseconds. */
export interface MeasuredAnswer {
  readonly endpointId: string;
  readonly latencyMs: number;
  readonly generationTimeMs: number;
  readonly completionTokens: number;
}

const MINUTE_MS = 60_000;

/** Uptime is counted by the minute, the current one included. */
const MINUTES = 24 * 60;

/** Speeds are of the last answers: more would move no percentile by much. */
const MAX_SPEEDS = 256;

const SPEED_WINDOW_MS = 30 * MINUTE_MS;

/** More than the endpoints that are in use within a day, at some 20 KB each. */
const MAX_ENDPOINTS = 1_000;

interface Speed {
  readonly at: number;
  readonly latencyMs: number;
  /** null where no tokens were counted. */
  readonly tokensPerSecond: number | null;
}

export class Measurements {
  readonly #clock: Clock;
  readonly #endpoints = new LruMap<string, MeasuredEndpoint>(MAX_ENDPOINTS);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** An attempt has ended: the endpoint answered, or failed by its own fault. */
  attempted(endpointId: string, isAnswered: boolean): void {
    this.#of(endpointId).count(Math.floor(this.#clock.now() / MINUTE_MS), isAnswered);
  }

  answered({ endpointId, latencyMs, generationTimeMs, completionTokens }: MeasuredAnswer): void {
    const tokensPerSecond =
      completionTokens === 0 ? null : (1000 * completionTokens) / Math.max(1, generationTimeMs);
    this.#of(endpointId).add({ at: this.#clock.now(), latencyMs, tokensPerSecond });
  }

  of(endpointId: string): EndpointMeasurements {
    const endpoint = this.#endpoints.get(endpointId) ?? NEVER_USED;
    const now = this.#clock.now();
    const minute = Math.floor(now / MINUTE_MS);
    const speeds = endpoint.speedsSince(now - SPEED_WINDOW_MS);
    return {
      uptimeLast5m: endpoint.uptime(minute, 5),
      uptimeLast30m: endpoint.uptime(minute, 30),
      uptimeLast1d: endpoint.uptime(minute, MINUTES),
      latency: percentilesOf(speeds.map(({ latencyMs }) => latencyMs)),
      throughput: percentilesOf(speeds.flatMap(({ tokensPerSecond }) => tokensPerSecond ?? [])),
    };
  }

  #of(endpointId: string): MeasuredEndpoint {
    return this.#endpoints.getOrMake(endpointId, () => new MeasuredEndpoint());
  }
}

class MeasuredEndpoint {
  /** By the minute's place in the day; `#minutes` has which minute each place is of. */
  readonly #answered = new Uint32Array(MINUTES);
  readonly #failed = new Uint32Array(MINUTES);
  readonly #minutes = new Uint32Array(MINUTES);
  #speeds: Speed[] = [];

  count(minute: number, isAnswered: boolean): void {
    const place = minute % MINUTES;
    if (this.#minutes[place] !== minute) {
      this.#minutes[place] = minute;
      this.#answered[place] = 0;
      this.#failed[place] = 0;
    }
    const counts = isAnswered ? this.#answered : this.#failed;
    counts[place] = (counts[place] ?? 0) + 1;
  }

  add(speed: Speed): void {
    this.#speeds.push(speed);
    if (this.#speeds.length >= 2 * MAX_SPEEDS) this.#speeds = this.#speeds.slice(-MAX_SPEEDS);
  }

  /** Of the last so many minutes, the current one included; null without an attempt in them. */
  uptime(current: number, minutes: number): number | null {
    let answered = 0;
    let failed = 0;
    for (let minute = current - minutes + 1; minute <= current; minute++) {
      const place = minute % MINUTES;
      if (this.#minutes[place] !== minute) continue;
      answered += this.#answered[place] ?? 0;
      failed += this.#failed[place] ?? 0;
    }
    return answered + failed === 0 ? null : (100 * answered) / (answered + failed);
  }

  speedsSince(instant: number): readonly Speed[] {
    return this.#speeds.slice(-MAX_SPEEDS).filter(({ at }) => at > instant);
  }
}

const NEVER_USED = new MeasuredEndpoint();

/** The nearest rank: always one of the values. */
function percentilesOf(values: readonly number[]): Percentiles | null {
  if (values.length === 0) return null;
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.ceil(share * sorted.length) - 1] ?? 0;
  return { p50: at(0.5), p75: at(0.75), p90: at(0.9), p99: at(0.99) };
}
