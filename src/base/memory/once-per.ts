import type { Clock } from '../clock.js';
import { LruMap } from './lru-map.js';

/**
 * Lets something happen for each name at most once in an interval. Only the names that were used last are remembered.
 */
export class OncePer {
  readonly #intervalMs: number;
  readonly #clock: Clock;
  readonly #lastAt: LruMap<string, number>;

  constructor(intervalMs: number, maxNames: number, clock: Clock) {
    this.#intervalMs = intervalMs;
    this.#clock = clock;
    this.#lastAt = new LruMap(maxNames);
  }

  /** Whether it may happen now; then it has. */
  take(name: string): boolean {
    const now = this.#clock.now();
    const lastAt = this.#lastAt.get(name);
    if (lastAt !== undefined && now - lastAt < this.#intervalMs) return false;
    this.#lastAt.set(name, now);
    return true;
  }

  /** Lets it happen again at once. */
  forget(name: string): void {
    this.#lastAt.delete(name);
  }
}
