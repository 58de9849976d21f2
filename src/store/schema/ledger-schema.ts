import type { Generated } from 'kysely';

/**
 * Running totals of the ledger by subject (`src/ledger/payer.ts`): for each interval the two newest windows that
 * anything was charged in, and the sums of the open reservations. Updated in the transaction that writes what they
 * sum.
 */
export interface SpendTotalTable {
  subject: string;
  top_up_nano_usd: bigint;
  credit_nano_usd: bigint;
  byok_nano_usd: bigint;
  daily_start: number;
  daily_credit_nano_usd: bigint;
  daily_byok_nano_usd: bigint;
  weekly_start: number;
  weekly_credit_nano_usd: bigint;
  weekly_byok_nano_usd: bigint;
  monthly_start: number;
  monthly_credit_nano_usd: bigint;
  monthly_byok_nano_usd: bigint;
  previous_daily_start: Generated<number>;
  previous_daily_credit_nano_usd: Generated<bigint>;
  previous_daily_byok_nano_usd: Generated<bigint>;
  previous_weekly_start: Generated<number>;
  previous_weekly_credit_nano_usd: Generated<bigint>;
  previous_weekly_byok_nano_usd: Generated<bigint>;
  previous_monthly_start: Generated<number>;
  previous_monthly_credit_nano_usd: Generated<bigint>;
  previous_monthly_byok_nano_usd: Generated<bigint>;
  reserved_credit_nano_usd: bigint;
  reserved_byok_nano_usd: bigint;
  reserved_sum_nano_usd: bigint;
}

/** What is reserved for a request in flight (`id` of its generation) or for a batch (`id` of the batch). */
export interface ReservationTable {
  id: string;
  account_id: string;
  workspace_id: string;
  api_key_hash: string;
  user_id: string;
  credit_nano_usd: bigint;
  byok_nano_usd: bigint;
  sum_nano_usd: bigint;
  /** The lease of the process that serves the request; `LASTING` for a reservation that outlives processes. */
  holder: string;
  expires_at: number;
  run_id: string | null;
  end_user: string | null;
}

/** What a stream that is being sent is charged if its process ends now; gone when the request is settled. */
export interface StreamJournalRow {
  generation_id: string;
  account_id: string;
  /** The lease of the process that sends it. */
  holder: string;
  unsettled_json: string;
}

/** Names that API keys give to what belongs together (`src/ledger/runs.ts`). What they spend is in the totals. */
export interface RunTable {
  id: string;
  account_id: string;
  workspace_id: string;
  api_key_hash: string;
  name: string;
  limit_nano_usd: bigint | null;
  requests: number;
  first_at: number;
  last_at: number;
}
