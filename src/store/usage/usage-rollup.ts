import { type Insertable, sql } from 'kysely';
import { DAY_MS, HOUR_MS } from '../../base/clock.js';
import type { GenerationCharges, UnsettledGeneration } from '../../inference/ports/generation.js';
import type { UsageRollupTable } from '../schema/usage-schema.js';

export type UsageRow = Insertable<UsageRollupTable>;

/** What a rollup is of, in the order of its primary key. */
export const USAGE_KEY = [
  'account_id',
  'reverse_day',
  'model',
  'provider',
  'workspace_id',
  'api_key_hash',
  'user_id',
  'api',
  'is_byok',
  'hour',
] as const satisfies readonly (keyof UsageRollupTable)[];

/** The sums of a rollup, each with what a row `g` of `generation` adds to it. */
const USAGE_SUMS = {
  requests: 'g.requests',
  refused: "case when g.status = 'refused' then g.requests else 0 end",
  failed: `case when coalesce(g.status, case when g.provider is null and g.cancelled = 0 then 'failed' end) = 'failed'
    then g.requests else 0 end`,
  tokens_prompt: 'g.tokens_prompt',
  tokens_completion: 'g.tokens_completion',
  tokens_reasoning: 'g.native_tokens_reasoning',
  tokens_cached: 'g.native_tokens_cached',
  usage_nano_usd: 'g.usage_nano_usd',
  byok_usage_nano_usd: 'coalesce(g.upstream_inference_cost_nano_usd, 0)',
  byok_fee_nano_usd: 'g.byok_fee_nano_usd',
  latency_ms_sum: 'coalesce(g.latency_ms + g.generation_time_ms, 0)',
  latency_count: 'case when g.latency_ms + g.generation_time_ms is null then 0 else 1 end',
  first_token_ms_sum: 'coalesce(g.latency_ms, 0)',
  first_token_count: 'case when g.latency_ms is null then 0 else 1 end',
} as const satisfies Partial<Record<keyof UsageRollupTable, string>>;

type UsageSumName = keyof typeof USAGE_SUMS;

export const USAGE_SUM_NAMES = Object.keys(USAGE_SUMS) as UsageSumName[];

/** What the row `g` of `generation` adds to the rollups, as a list of columns with the names of `usage_rollup`. */
export const USAGE_OF_GENERATION = sql.raw(
  Object.entries({
    account_id: 'g.account_id',
    reverse_day: `-(g.created_at / ${DAY_MS})`,
    model: 'g.model',
    provider: "coalesce(g.provider, '')",
    workspace_id: 'g.workspace_id',
    api_key_hash: 'g.api_key_hash',
    user_id: 'g.user_id',
    api: "coalesce(g.api, 'chat')",
    is_byok: 'case when g.byok_key_id is null then 0 else 1 end',
    hour: `(g.created_at / ${HOUR_MS}) % 24`,
    ...USAGE_SUMS,
  } satisfies Record<Exclude<keyof UsageRollupTable, 'daily_flip'>, string>)
    .map(([name, value]) => `${value} as ${name}`)
    .join(', '),
);

/** The day of a rollup, in Unix milliseconds. */
export function dayOf(reverseDay: number): number {
  return -reverseDay * DAY_MS;
}

/** The rollup's name of the day that contains the instant. */
export function reverseDayOf(ms: number): number {
  return 0 - Math.floor(ms / DAY_MS);
}

/** `USAGE_OF_GENERATION` for one that is about to be recorded. */
export function usageRow(generation: UnsettledGeneration, charges: GenerationCharges): UsageRow {
  const { createdAt, latencyMs, generationTimeMs, status, requests } = generation;
  const totalMs = latencyMs === null || generationTimeMs === null ? null : latencyMs + generationTimeMs;
  return {
    account_id: generation.accountId,
    reverse_day: reverseDayOf(createdAt),
    model: generation.model,
    provider: generation.provider ?? '',
    workspace_id: generation.workspaceId,
    api_key_hash: generation.apiKeyHash,
    user_id: generation.userId,
    api: generation.api,
    is_byok: generation.byokKeyId === null ? 0 : 1,
    hour: Math.floor((createdAt % DAY_MS) / HOUR_MS),
    requests,
    refused: status === 'refused' ? requests : 0,
    failed: status === 'failed' ? requests : 0,
    tokens_prompt: generation.promptTokens,
    tokens_completion: generation.completionTokens,
    tokens_reasoning: generation.reasoningTokens,
    tokens_cached: generation.cachedTokens,
    usage_nano_usd: charges.usageNanoUsd,
    byok_usage_nano_usd: charges.upstreamInferenceCostNanoUsd ?? 0n,
    byok_fee_nano_usd: charges.byokFeeNanoUsd,
    latency_ms_sum: totalMs ?? 0,
    latency_count: totalMs === null ? 0 : 1,
    first_token_ms_sum: latencyMs ?? 0,
    first_token_count: latencyMs === null ? 0 : 1,
    daily_flip: 1,
  };
}
