import type { SealedColumns } from './sealed-columns.js';

/** Answers that are kept for requests which come again. Written under the lock of the cache alone. */
export interface CachedAnswerTable extends SealedColumns {
  /** HMAC of the request, in hex. */
  key: string;
  account_id: string;
  /** What it counts for in the size of the cache. */
  bytes: number;
  created_at: number;
  expires_at: number;
  used_at: number;
}

/** One row, the sum of what all cached answers count for; none while nothing was ever kept. */
export interface CachedAnswersSizeTable {
  id: number;
  bytes: number;
}
