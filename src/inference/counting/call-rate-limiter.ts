import { LruMap } from '../../base/memory/lru-map.js';

const MINUTE_MS = 60_000;

/**
 * Maximum of keys, at eight bytes per call of the last minute. The least recently used key is evicted, and counts as
 * unused again.
 */
const MAX_KEYS = 10_000;

/** Limits the calls of each key within any minute, in this process. A call that is not allowed does not count. */
export class CallRateLimiter {
  readonly #perMinute: number;
  readonly #calls = new LruMap<string, readonly number[]>(MAX_KEYS);

  constructor(perMinute: number) {
    this.#perMinute = perMinute;
  }

  /** Whether the key may make a call at `nowMs` (Unix milliseconds). If so, the call is counted. */
  take(key: string, nowMs: number): boolean {
    // Calls that seem to be in the future were made before the clock was set back.
    const recent = (this.#calls.get(key) ?? []).filter((at) => nowMs - MINUTE_MS < at && at <= nowMs);
    const isAllowed = recent.length < this.#perMinute;
    this.#calls.set(key, isAllowed ? [...recent, nowMs] : recent);
    return isAllowed;
  }
}
