import { LruMap } from './lru-map.js';

/** How large a cache is, as far as its entries can be estimated. */
export interface CacheReport {
  readonly name: string;
  readonly bytes: number;
  readonly maxBytes: number;
}

export interface CacheBounds {
  readonly name: string;
  readonly maxBytes: number;
  /** Estimate of an average entry, with its key. */
  readonly entryBytes: number;
}

/**
 * A cache of entries that are about equally large, bounded by bytes. Least recently used entries are evicted; half of
 * what fits is always there (`LruMap`).
 */
export class BoundedCache<K, V extends NonNullable<unknown>> extends LruMap<K, V> {
  readonly #bounds: CacheBounds;

  constructor(bounds: CacheBounds) {
    super(bounds.maxBytes / bounds.entryBytes);
    this.#bounds = bounds;
  }

  get report(): CacheReport {
    const { name, maxBytes, entryBytes } = this.#bounds;
    return { name, bytes: this.size * entryBytes, maxBytes };
  }
}
