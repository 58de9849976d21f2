import type { BatchStage, BatchStatus } from '../../batch/batch.js';

/** Batches of platform C, by how far they have come. What is empty in `api_key_hash` counts for no API key. */
export interface BatchTable {
  id: string;
  account_id: string;
  workspace_id: string;
  api_key_hash: string;
  user_id: string;
  plan: 'pay_as_you_go' | 'enterprise';
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
  /** By what somebody works on it, and until when; null = nobody. */
  claim_token: string | null;
  claimed_until: number;
}

/** What is kept of a batch's requests, as the batch part writes it. */
export interface BatchRowsTable {
  batch_id: string;
  rows_json: string;
}
