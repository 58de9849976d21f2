/** A batch of Google Vertex AI and its progress. See docs/batches.md. */
import type { Pricing } from '../catalog/types.js';
import type { BillingPlanInForce, Payer } from '../ledger/payer.js';

/** The status that callers see. */
export type BatchStatus = 'validating' | 'queued' | 'running' | 'completed' | 'failed' | 'cancelled';

/**
 * The state of the state machine. `created`: recorded, with its max cost reserved; `staged`: its requests are in the
 * bucket; `submitting`: the job is being created, and whether it exists is not known; `submitted`: it exists; `ended`:
 * it has ended and has to be metered; `settled`: nothing is left to do.
 */
export type BatchStage = 'created' | 'staged' | 'submitting' | 'submitted' | 'ended' | 'settled';

/** What is fixed at submission. */
export interface BatchOrder {
  readonly id: string;
  /** `apiKeyHash` is empty when no API key is named. */
  readonly payer: Payer;
  readonly plan: BillingPlanInForce;
  /** The id of the request that submitted it. */
  readonly requestId: string;
  /** The provider's slug. */
  readonly provider: string;
  readonly providerName: string;
  readonly byokKeyId: string;
  /** Identifier of the endpoint. */
  readonly endpoint: string;
  readonly model: string;
  readonly upstreamModelId: string;
  /** Where the job runs; null = global. */
  readonly region: string | null;
  /** The list prices at submission, which later changes of the catalogue don't affect. */
  readonly pricing: Pricing;
  /** Number of requests. */
  readonly total: number;
  /** Unix milliseconds. */
  readonly createdAt: number;
}

/** What changes as a batch proceeds. */
export interface BatchProgress {
  readonly stage: BatchStage;
  /** While the stage is `ended`: the final status, not yet shown. */
  readonly status: BatchStatus;
  /** Bare name; null until the requests are staged. */
  readonly bucket: string | null;
  /** The provider's name of the job. */
  readonly providerJob: string | null;
  /** The `gs://` URI of the directory that the provider reports to have written. */
  readonly outputDirectory: string | null;
  readonly completed: number;
  readonly failed: number;
  /** Why it failed, or what currently prevents its progress. */
  readonly error: string | null;
  /** Consecutive polls without news. */
  readonly waits: number;
  /** Time of the next poll, Unix milliseconds. */
  readonly pollAt: number;
}

export interface Batch extends BatchOrder, BatchProgress {}

/** What is stored of one request to process its result; its position identifies it at the provider. */
export interface BatchRow {
  readonly customId: string;
  /** The likely estimate, for results without usage. */
  readonly promptTokens: number;
  readonly images: number;
  /** Whether its answer is returned without reasoning. */
  readonly isReasoningHidden: boolean;
  /** What tools are called in the answer, and what they were, where that is not the same. */
  readonly toolNames?: BatchToolNames;
  /** Whom the request is made for; null = it names nobody. */
  readonly endUser: string | null;
}

/** Why a request of a batch was not sent. */
export interface RowRefusal {
  readonly status: number;
  readonly message: string;
}

/** Names of tools that the client gave, by those that were sent. */
export type BatchToolNames = Readonly<Record<string, string>>;

/** `pollAt` of a settled batch. */
export const NEVER = Number.MAX_SAFE_INTEGER;

/** A batch whose job has ended is shown as running until its results and charges are available. */
export function shownStatus({ stage, status }: Pick<Batch, 'stage' | 'status'>): BatchStatus {
  return stage === 'ended' ? 'running' : status;
}

/** The object that the requests are staged in. */
export function inputObject(id: string): string {
  return `byway/${id}/input.jsonl`;
}

/** The prefix of a batch's result objects. */
export function outputPrefix(id: string): string {
  return `byway/${id}/output/`;
}

/** The URI of an object, or of a prefix, as jobs name it. */
export function storageUri(bucket: string, object: string): string {
  return `gs://${bucket}/${object}`;
}

/** The id of a row's generation. Deterministic, so that a result that is read twice is charged and recorded once. */
export function generationIdOf(batchId: string, row: number): string {
  return `gen-${batchId}-${row}`;
}
