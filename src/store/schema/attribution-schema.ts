import type { UsageRollupTable } from './usage-schema.js';

/** Someone whom requests of an API key named as their end user; kept while the key is. What was spent is in `spend_total`. */
export interface EndUserTable {
  api_key_hash: string;
  name: string;
  requests: number;
  /** Begin of the last request. */
  last_at: number;
}

/**
 * Sums over the generations that have a run, an agent or an end user, of what rollups sum and of these; empty where a
 * generation has none. They are in the rollups too, and updated with them.
 */
export interface UsageAttributionTable extends Omit<UsageRollupTable, 'daily_flip'> {
  run_id: string;
  run: string;
  agent_id: string;
  end_user: string;
}
