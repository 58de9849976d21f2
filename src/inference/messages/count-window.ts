import { LruMap } from '../../base/memory/lru-map.js';

const MINUTE_MS = 60_000;

/** Eight bytes for each call of the last minute. An evicted one, the least recently used, counts as empty again. */
const MAX_KEYS = 10_000;

/** At most so many calls of each key within any minute, in this process. A call that is not allowed costs nothing. */
export class CallWindow {
  readonly #perMinute: number;
  readonly #calls = new LruMap<string, readonly number[]>(MAX_KEYS);

  constructor(perMinute: number) {
    this.#perMinute = perMinute;
  }

  /** Whether the key may call at an instant in Unix milliseconds; then it has called. */
  take(key: string, nowMs: number): boolean {
    // What seems to come later was called before the clock was set back.
    const recent = (this.#calls.get(key) ?? []).filter((at) => nowMs - MINUTE_MS < at && at <= nowMs);
    const isAllowed = recent.length < this.#perMinute;
    this.#calls.set(key, isAllowed ? [...recent, nowMs] : recent);
    return isAllowed;
  }
}
