/** A batch of platform C and how far it has come (spec 4.6, interface section 8). */
import type { Pricing } from '../catalog/types.js';
import type { Payer } from '../ledger/payer.js';
import type { Plan } from '../ledger/plan.js';

/** How a batch stands, as callers see it. */
export type BatchStatus = 'validating' | 'queued' | 'running' | 'completed' | 'failed' | 'cancelled';

/**
 * How far a batch has come. `created`: recorded, and its money kept back; `staged`: its requests are in the bucket;
 * `submitting`: the job is being asked for, and whether there is one is not known; `submitted`: there is one;
 * `ended`: it has ended and has to be metered; `settled`: nothing is left to do.
 */
export type BatchStage = 'created' | 'staged' | 'submitting' | 'submitted' | 'ended' | 'settled';

/** What is fixed when a batch is submitted. */
export interface BatchOrder {
  readonly id: string;
  /** `apiKeyHash` is empty when no API key is named. */
  readonly payer: Payer;
  readonly plan: Plan;
  /** Of the request that submitted it. */
  readonly requestId: string;
  /** Slug. */
  readonly provider: string;
  readonly providerName: string;
  readonly byokKeyId: string;
  /** Identifier of the endpoint. */
  readonly endpoint: string;
  readonly model: string;
  readonly upstreamModelId: string;
  /** Where the job runs; null = global. */
  readonly region: string | null;
  /** The list prices that hold for it, whatever becomes of the catalogue. */
  readonly pricing: Pricing;
  /** How many requests it has. */
  readonly total: number;
  /** Unix milliseconds. */
  readonly createdAt: number;
}

/** What changes on its way. */
export interface BatchProgress {
  readonly stage: BatchStage;
  /** Of a batch that has ended and is not settled: what it is going to be. */
  readonly status: BatchStatus;
  /** Bare name; null until the requests are staged. */
  readonly bucket: string | null;
  /** The provider's name of the job. */
  readonly providerJob: string | null;
  /** The `gs://` URI below which the provider says that it wrote. */
  readonly outputDirectory: string | null;
  readonly completed: number;
  readonly failed: number;
  /** Why it failed, or what keeps it from going on. */
  readonly error: string | null;
  /** Looks in a row that found nothing new. */
  readonly waits: number;
  /** When to look again, Unix milliseconds. */
  readonly pollAt: number;
}

/** A batch. */
export interface Batch extends BatchOrder, BatchProgress {}

/** What is kept of one request to read its result by; its position is its name at the provider. */
export interface BatchRow {
  readonly customId: string;
  /** As they most likely are, where the provider does not count. */
  readonly promptTokens: number;
  readonly images: number;
  /** Whether its answer is told without the reasoning that led to it. */
  readonly isReasoningHidden: boolean;
}

/** When a settled batch is looked at again. */
export const NEVER = Number.MAX_SAFE_INTEGER;

/** The status to show: results and charges are there once a batch is said to have ended. */
export function shownStatus({ stage, status }: Pick<Batch, 'stage' | 'status'>): BatchStatus {
  return stage === 'ended' ? 'running' : status;
}

/** Object that the requests are staged in. */
export function inputObject(id: string): string {
  return `byway/${id}/input.jsonl`;
}

/** What the names of a batch's result objects begin with. */
export function outputPrefix(id: string): string {
  return `byway/${id}/output/`;
}

/** An object, or what objects begin with, as the provider's jobs name it. */
export function storageUri(bucket: string, object: string): string {
  return `gs://${bucket}/${object}`;
}

/** The generation record of a request that was answered: the same however often its result is read. */
export function generationIdOf(batchId: string, row: number): string {
  return `gen-${batchId}-${row}`;
}
