import type { BatchStage, BatchStatus } from '../../batch/batch.js';

/** Batches at Google Vertex AI. An empty `api_key_hash` means that no API key is charged. */
export interface BatchTable {
  id: string;
  account_id: string;
  workspace_id: string;
  api_key_hash: string;
  user_id: string;
  plan: 'pay_as_you_go' | 'enterprise' | 'unbilled';
  request_id: string;
  provider: string;
  provider_name: string;
  byok_key_id: string;
  endpoint: string;
  model: string;
  upstream_model_id: string;
  region: string | null;
  pricing_json: string;
  total: number;
  created_at: number;
  stage: BatchStage;
  status: BatchStatus;
  bucket: string | null;
  provider_job: string | null;
  output_directory: string | null;
  completed: number;
  failed: number;
  error: string | null;
  waits: number;
  poll_at: number;
  /** The token of the worker that has claimed the batch until `claimed_until`; null = none has. */
  claim_token: string | null;
  claimed_until: number;
}

/** What a batch stores of its requests, in the format of `src/batch`. */
export interface BatchRowsTable {
  batch_id: string;
  rows_json: string;
}
