import type { Generated } from 'kysely';
import type { Lane } from '../../catalog/formats.js';
import type { CountedBy, GenerationApi, GenerationStatus } from '../../inference/ports/generation.js';
import type { AttributionColumns } from './attribution-columns.js';

/** One row per request that was admitted; never changed. Without a `status` it is older than the rollups. */
export interface GenerationTable extends AttributionColumns {
  id: string;
  account_id: string;
  workspace_id: string;
  api_key_hash: string;
  user_id: string;
  request_id: string;
  model: string;
  provider: string | null;
  endpoint: string | null;
  byok_key_id: string | null;
  streamed: number;
  cancelled: number;
  finish_reason: string | null;
  native_finish_reason: string | null;
  latency_ms: number | null;
  generation_time_ms: number | null;
  tokens_prompt: number;
  tokens_completion: number;
  native_tokens_reasoning: number;
  native_tokens_cached: number;
  usage_nano_usd: bigint;
  upstream_inference_cost_nano_usd: bigint | null;
  byok_fee_nano_usd: bigint;
  provider_responses_json: string;
  created_at: number;
  status: GenerationStatus | null;
  reason: string | null;
  http_status: number | null;
  message: string | null;
  /** Null when it is `model`. */
  requested_model: string | null;
  /** Null = `chat`. */
  api: GenerationApi | null;
  lane: Lane | null;
  /** Null = nothing. */
  omitted_json: string | null;
  session_id: string | null;
  trace_id: string | null;
  ip: string | null;
  /** How many requests it stands for. */
  requests: Generated<number>;
  counted_by: CountedBy | null;
  /** Null = none. */
  excluded_counts_json: string | null;
  service_tier: string | null;
  speed: string | null;
  inference_geo: string | null;
  price_mode: string | null;
  /** Null = none. */
  unpriced_json: string | null;
  /** What it was charged at; `NO_TERMS_ID` where nothing was billed; null = it has no receipt. */
  terms_id: number | null;
  /** The counts that have no column; null = all are 0. */
  counts_json: string | null;
  /** Of the month's BYOK allowance, before it; null on shared capacity and where nobody is billed. */
  allowance_left_nano_usd: bigint | null;
  /** Whether it was answered from the cache. */
  cached: Generated<number>;
}

/** What requests are charged at, by content: `src/receipts/terms.ts`. Never changed but for `used_on`. */
export interface BillingTermsTable {
  id: number;
  content_json: string;
  /** UTC day since 1970: no request of a later one refers to it. */
  used_on: number;
}

/**
 * Sums over the generations of an account that share everything named before `requests`. Updated in the transaction that
 * records the generation, and kept when the generation is deleted.
 */
export interface UsageRollupTable {
  account_id: string;
  /** Minus the UTC day since 1970: the table is kept in the order of its key, and lists begin with the newest day. */
  reverse_day: number;
  model: string;
  /** Empty when none answered. */
  provider: string;
  workspace_id: string;
  api_key_hash: string;
  user_id: string;
  api: string;
  is_byok: number;
  /** The hour of the day, 0 to 23. */
  hour: number;
  requests: number;
  refused: number;
  failed: number;
  tokens_prompt: number;
  tokens_completion: number;
  tokens_reasoning: number;
  tokens_cached: number;
  usage_nano_usd: bigint;
  byok_usage_nano_usd: bigint;
  byok_fee_nano_usd: bigint;
  /** From the request to the end of the answer, of `latency_count` requests. */
  latency_ms_sum: number;
  latency_count: number;
  /** From the request to the first content, of `first_token_count` requests. */
  first_token_ms_sum: number;
  first_token_count: number;
  /** 0 or 1; each write that is added to `usage_daily` as well changes it. The previous version's leave it as it is. */
  daily_flip: Generated<number>;
}

/**
 * Sums over the rollups of an account that share workspace, day, model, provider, API, and BYOK or not; once more over all
 * workspaces, with an empty `workspace_id`. Updated with the rollups.
 */
export interface UsageDailyTable
  extends Omit<UsageRollupTable, 'api_key_hash' | 'user_id' | 'hour' | 'daily_flip'> {}

/**
 * An account whose generations without a `status` are not all in the rollups: those up to this one are, in the order of
 * `created_at` and `id`.
 */
export interface UsageFillTable {
  account_id: string;
  created_at: number;
  id: string;
}

/**
 * An account whose rollups of before `usage_daily` are not all in it: those of smaller values of `reverse_day` are, and
 * `added` rows for this one, perhaps of more.
 */
export interface UsageDailyFillTable {
  account_id: string;
  reverse_day: number;
  added: number;
}
