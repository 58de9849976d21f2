import type { Insertable, Selectable } from 'kysely';
import type { FinishReason } from '../chat/dialect.js';
import type {
  Generation,
  GenerationFilter,
  GenerationScope,
  GenerationStore,
  Page,
  ProviderResponse,
} from '../chat/generation.js';
import type { Database } from './database.js';
import { groupCommit } from './group-commit.js';
import { preparedInsert } from './prepared.js';
import { readPage } from './read-page.js';
import type { GenerationTable } from './schema.js';

/** Generations in the database. What is recorded survives the process; records are never changed. */
export function createGenerationStore(database: Database): GenerationStore {
  const write = groupCommit(database);
  const insert = preparedInsert('generation');
  return {
    record: (generation) => write((tx) => insert(tx, rowOf(generation))),
    find: (id, scope) => find(database, id, scope),
    list: (accountId, filter, page) => list(database, accountId, filter, page),
  };
}

async function find(
  database: Database,
  id: string,
  { accountId, apiKeyHash }: GenerationScope,
): Promise<Generation | undefined> {
  let query = database.query
    .selectFrom('generation')
    .selectAll()
    .where('id', '=', id)
    .where('account_id', '=', accountId);
  if (apiKeyHash !== null) query = query.where('api_key_hash', '=', apiKeyHash);
  const row = await query.executeTakeFirst();
  return row && generationOf(row);
}

async function list(
  database: Database,
  accountId: string,
  filter: GenerationFilter,
  page: Page,
): Promise<{ generations: readonly Generation[]; totalCount: number }> {
  let matching = database.query.selectFrom('generation').where('account_id', '=', accountId);
  if (filter.from !== null) matching = matching.where('created_at', '>=', filter.from);
  if (filter.to !== null) matching = matching.where('created_at', '<', filter.to);
  if (filter.apiKeyHash !== null) matching = matching.where('api_key_hash', '=', filter.apiKeyHash);
  if (filter.workspaceId !== null) matching = matching.where('workspace_id', '=', filter.workspaceId);
  const { rows, totalCount } = await readPage(
    matching.selectAll().orderBy('created_at', 'desc').orderBy('id'),
    page,
  );
  return { generations: rows.map(generationOf), totalCount };
}

function rowOf(generation: Generation): Insertable<GenerationTable> {
  return {
    id: generation.id,
    account_id: generation.accountId,
    workspace_id: generation.workspaceId,
    api_key_hash: generation.apiKeyHash,
    user_id: generation.userId,
    request_id: generation.requestId,
    model: generation.model,
    provider: generation.provider,
    endpoint: generation.endpoint,
    byok_key_id: generation.byokKeyId,
    streamed: Number(generation.isStreamed),
    cancelled: Number(generation.isCancelled),
    finish_reason: generation.finishReason,
    native_finish_reason: generation.nativeFinishReason,
    latency_ms: generation.latencyMs,
    generation_time_ms: generation.generationTimeMs,
    tokens_prompt: generation.promptTokens,
    tokens_completion: generation.completionTokens,
    native_tokens_reasoning: generation.reasoningTokens,
    native_tokens_cached: generation.cachedTokens,
    usage_nano_usd: generation.usageNanoUsd,
    upstream_inference_cost_nano_usd: generation.upstreamInferenceCostNanoUsd,
    byok_fee_nano_usd: generation.byokFeeNanoUsd,
    provider_responses_json: JSON.stringify(generation.providerResponses),
    created_at: generation.createdAt,
  };
}

function generationOf(row: Selectable<GenerationTable>): Generation {
  // Written by `rowOf` alone, and never changed.
  const providerResponses = JSON.parse(row.provider_responses_json) as readonly ProviderResponse[];
  return {
    id: row.id,
    accountId: row.account_id,
    workspaceId: row.workspace_id,
    apiKeyHash: row.api_key_hash,
    userId: row.user_id,
    requestId: row.request_id,
    model: row.model,
    provider: row.provider,
    providerName:
      providerResponses.findLast(({ provider }) => provider === row.provider)?.provider_name ?? null,
    endpoint: row.endpoint,
    byokKeyId: row.byok_key_id,
    isStreamed: row.streamed === 1,
    isCancelled: row.cancelled === 1,
    finishReason: row.finish_reason as FinishReason | null,
    nativeFinishReason: row.native_finish_reason,
    latencyMs: row.latency_ms,
    generationTimeMs: row.generation_time_ms,
    promptTokens: row.tokens_prompt,
    completionTokens: row.tokens_completion,
    reasoningTokens: row.native_tokens_reasoning,
    cachedTokens: row.native_tokens_cached,
    usageNanoUsd: row.usage_nano_usd,
    upstreamInferenceCostNanoUsd: row.upstream_inference_cost_nano_usd,
    byokFeeNanoUsd: row.byok_fee_nano_usd,
    providerResponses,
    createdAt: row.created_at,
  };
}
