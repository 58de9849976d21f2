import type { Insertable, Selectable, Updateable } from 'kysely';
import type { Batch, BatchProgress } from '../../batch/batch.js';
import type { Pricing } from '../../catalog/types.js';
import type { BatchTable } from '../schema/batch-schema.js';

type Unclaimed = Omit<Insertable<BatchTable>, 'claim_token' | 'claimed_until'>;

export function batchRow(batch: Batch): Unclaimed {
  const { payer } = batch;
  return {
    id: batch.id,
    account_id: payer.accountId,
    workspace_id: payer.workspaceId,
    api_key_hash: payer.apiKeyHash,
    user_id: payer.userId,
    plan: batch.plan,
    request_id: batch.requestId,
    provider: batch.provider,
    provider_name: batch.providerName,
    byok_key_id: batch.byokKeyId,
    endpoint: batch.endpoint,
    model: batch.model,
    upstream_model_id: batch.upstreamModelId,
    region: batch.region,
    pricing_json: JSON.stringify(batch.pricing),
    total: batch.total,
    created_at: batch.createdAt,
    ...progressRow(batch),
  };
}

export function progressRow(progress: BatchProgress) {
  return {
    stage: progress.stage,
    status: progress.status,
    bucket: progress.bucket,
    provider_job: progress.providerJob,
    output_directory: progress.outputDirectory,
    completed: progress.completed,
    failed: progress.failed,
    error: progress.error,
    waits: progress.waits,
    poll_at: progress.pollAt,
  } satisfies Updateable<BatchTable>;
}

export function batchOf(row: Selectable<BatchTable>): Batch {
  return {
    id: row.id,
    payer: {
      accountId: row.account_id,
      workspaceId: row.workspace_id,
      apiKeyHash: row.api_key_hash,
      userId: row.user_id,
      runId: null,
      endUser: null,
    },
    plan: row.plan,
    requestId: row.request_id,
    provider: row.provider,
    providerName: row.provider_name,
    byokKeyId: row.byok_key_id,
    endpoint: row.endpoint,
    model: row.model,
    upstreamModelId: row.upstream_model_id,
    region: row.region,
    // Written only by `batchRow`, and never changed.
    pricing: JSON.parse(row.pricing_json) as Pricing,
    total: row.total,
    createdAt: row.created_at,
    stage: row.stage,
    status: row.status,
    bucket: row.bucket,
    providerJob: row.provider_job,
    outputDirectory: row.output_directory,
    completed: row.completed,
    failed: row.failed,
    error: row.error,
    waits: row.waits,
    pollAt: row.poll_at,
  };
}
