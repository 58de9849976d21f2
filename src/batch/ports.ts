/** The ports that batches use: the provider's storage and jobs, a meter, and a store. */

import type { NanoUsd } from '../base/money.js';
import type { Violation } from '../base/problem.js';
import type { Signal } from '../base/signal.js';
import type { HostHeaders } from '../byok/keys/host-headers.js';
import type { VertexCredential } from '../byok/kinds/google-vertex.js';
import type { Endpoint, Provider, ReasoningSupport } from '../catalog/types.js';
import type { JsonObject } from '../formats/json.js';
import type { Admission, SpendRequest } from '../ledger/admission.js';
import type { SpendPart } from '../ledger/admit-parts.js';
import type { Metered } from '../ledger/pricing/price.js';
import type { Charge } from '../ledger/settlement.js';
import type { Batch, BatchOrder, BatchProgress, BatchToolNames, RowRefusal } from './batch.js';

/** Where a job runs, and the credential that it runs with. */
export interface JobTarget {
  /** The account that the job belongs to. */
  readonly accountId: string;
  readonly provider: Provider;
  readonly credential: VertexCredential;
  /** Headers that the operator adds to every call of the provider's own host. */
  readonly hostHeaders?: HostHeaders;
  /** null = global. */
  readonly region: string | null;
}

/** The provider's object storage. Every call throws `JobCallFailure`, or the signal's reason once it is aborted. */
export interface Storage {
  /** Names of the buckets of the target's project with this prefix. */
  ownBuckets(target: JobTarget, prefix: string, signal: Signal): Promise<readonly string[]>;
  /** Creates a private bucket whose objects are deleted after 30 days. Throws `conflict` where the name is taken. */
  createBucket(target: JobTarget, name: string, location: string, signal: Signal): Promise<void>;
  /** Reads the bucket's metadata, to check that the account may use it. */
  checkBucket(target: JobTarget, name: string, signal: Signal): Promise<void>;
  /** Writes an object atomically, replacing an existing one. `content` is called again for each retry. */
  write(
    target: JobTarget,
    at: ObjectLocation,
    content: () => AsyncIterable<Uint8Array>,
    signal: Signal,
  ): Promise<void>;
  /** Names of the objects with this prefix, sorted. */
  objects(target: JobTarget, at: ObjectLocation, signal: Signal): Promise<readonly string[]>;
  /** An object's content, with backpressure. */
  read(target: JobTarget, at: ObjectLocation, signal: Signal): AsyncIterable<Uint8Array>;
  /** Deletes an object if it exists. */
  remove(target: JobTarget, at: ObjectLocation, signal: Signal): Promise<void>;
}

/** An object, or a prefix of objects. */
export interface ObjectLocation {
  readonly bucket: string;
  readonly object: string;
}

export interface NewJob {
  /** Unique to the batch. */
  readonly displayName: string;
  /** The provider's name of the model in jobs. */
  readonly model: string;
  readonly inputUri: string;
  readonly outputUri: string;
}

/** A job as the provider reports it. */
export interface Job {
  /** The provider's name for it. */
  readonly name: string;
  readonly state: 'queued' | 'running' | 'completed' | 'failed' | 'cancelled';
  readonly completed: number;
  readonly failed: number;
  readonly outputDirectory: string | null;
  readonly error: string | null;
  /** Whether it failed only because the provider's own service agents are still being created. */
  readonly isUnprovisioned: boolean;
}

/** The provider's batch jobs; calls throw like those of `Storage`. */
export interface Jobs {
  create(target: JobTarget, job: NewJob, signal: Signal): Promise<Job>;
  get(target: JobTarget, name: string, signal: Signal): Promise<Job>;
  /**
   * The job with this display name, even if the answer to its creation was lost. undefined if there is none, or only
   * jobs that are `isUnprovisioned`.
   */
  find(target: JobTarget, displayName: string, signal: Signal): Promise<Job | undefined>;
}

/** The outcome of one request, in the chat format. */
export type RowOutcome =
  | {
      readonly kind: 'answered';
      readonly choices: readonly JsonObject[];
      readonly systemFingerprint: string | null;
      /** The provider's counts; empty if one of them is impossible. */
      readonly usage: Partial<Metered>;
      /** Characters of the whole output, for estimates when the provider sends no usage. */
      readonly characters: number;
      /** Number of images, over all choices. */
      readonly images: number;
      readonly finishReason: string | null;
      readonly nativeFinishReason: string | null;
    }
  | { readonly kind: 'failed'; readonly status: number; readonly message: string };

export interface BatchEndpoint {
  readonly endpoint: Endpoint;
  /** The reasoning capabilities of the model; null = none. */
  readonly modelReasoning: ReasoningSupport | null;
}

/** The format of requests and results of one model in a job's files. */
export interface LineForm {
  readonly model: string;
  /** Reasoning that the request asks for and the endpoint can't do. */
  violations(body: JsonObject, batchEndpoint: BatchEndpoint): readonly Violation[];
  /** Whether the answer is to be returned without reasoning. */
  hidesReasoning(body: JsonObject): boolean;
  /** What tools are called in the answer, and what they were; undefined where all are called as given. */
  toolNames(body: JsonObject, batchEndpoint: BatchEndpoint): BatchToolNames | undefined;
  /**
   * Makes the line of a request; yields when it may be interrupted. Throws `JobCallFailure` `refused` for anything
   * that the model does not support.
   */
  line(row: number, body: JsonObject, batchEndpoint: BatchEndpoint): Generator<void, JsonObject>;
  /** Reads result lines; secrets of the target's credential are redacted in its outcomes. */
  reader(target: JobTarget): LineReader;
}

/** The request that a line of the results belongs to, with its outcome; undefined for a line that names none. */
export type LineReader = (
  line: JsonObject,
) => { readonly row: number; readonly outcome: RowOutcome } | undefined;

export interface BatchUpstream {
  readonly storage: Storage;
  readonly jobs: Jobs;
  /** undefined for a model that jobs do not support. */
  formOf(endpoint: Pick<Endpoint, 'upstreamModelId'>): LineForm | undefined;
}

/** Counts events of batches for the metrics. */
export interface BatchMeter {
  submitted(): void;
  ended(batch: Pick<Batch, 'status' | 'completed' | 'failed'>): void;
  /** Bytes of requests written to the bucket. */
  staged(bytes: number): void;
  /** Bytes of results read from it. */
  collected(bytes: number): void;
}

/** The exclusive right to advance a batch, until it is released or expires. */
export interface Claim {
  readonly batch: Batch;
  readonly token: string;
}

/** One answered request, to be charged and recorded. */
export interface ChargedRow {
  readonly generationId: string;
  readonly metered: Metered;
  readonly countedBy: 'provider' | 'estimate';
  readonly charge: Charge;
  /** What was billed otherwise than the base; null = nothing. */
  readonly priceMode: string | null;
  readonly endUser: string | null;
  readonly finishReason: string | null;
  readonly nativeFinishReason: string | null;
}

/** The rows of a batch, and the most that each may cost. */
export interface MeasuredRows {
  /** For `BatchRows`. */
  readonly json: string;
  readonly maxCostNanoUsd: NanoUsd;
  /** By position; null where no limit of an end user applies. */
  readonly parts: readonly SpendPart[] | null;
}

export interface CreatedBatch {
  readonly admission: Admission;
  readonly token: string;
  /** By position. */
  readonly refused: ReadonlyMap<number, RowRefusal>;
}

export interface DueBatch {
  readonly id: string;
  readonly accountId: string;
}

export interface BatchStore {
  /**
   * Admits the spend against the ledger and, when it is admitted, reserves its max cost and records the batch with its
   * rows, claimed: all in one transaction. Rows whose end users' limits are reached are refused, and the spend with the
   * first of them where that is all. The reservation lasts until `finish` or `discard`, at most until `expiresAt`.
   */
  create(
    batch: Batch,
    rows: MeasuredRows,
    spend: Omit<SpendRequest, 'maxCost'>,
    expiresAt: number,
  ): Promise<CreatedBatch>;
  /** undefined if the batch does not exist or belongs to another account. */
  find(accountId: string, id: string): Promise<Batch | undefined>;
  list(
    accountId: string,
    page: { readonly offset: number; readonly limit: number },
  ): Promise<{ readonly batches: readonly Batch[]; readonly totalCount: number }>;
  /** The JSON of the batch's rows that was passed to `create`. */
  rows(id: string): Promise<string>;
  /** Batches to poll now: the longest overdue of each account, then the second of each, and so on. */
  due(now: number, count: number): Promise<readonly DueBatch[]>;
  /**
   * Claims the batch. undefined while another worker has a live claim, and if there is no such batch. A claim that is
   * not renewed expires.
   */
  claim(id: string, now: number): Promise<Claim | undefined>;
  renew(claim: Claim, now: number): Promise<void>;
  release(claim: Claim): Promise<void>;
  /** Records progress. Throws when the claim was lost. */
  advance(claim: Claim, change: Partial<BatchProgress>): Promise<Claim>;
  /** Charges and records rows; those already recorded are skipped. */
  settle(order: BatchOrder, rows: readonly ChargedRow[]): Promise<void>;
  /** As `advance`, and releases the reservation in the same transaction. */
  finish(claim: Claim, change: Partial<BatchProgress>): Promise<Claim>;
  /** Deletes a batch that was not submitted, and releases its reservation. */
  discard(claim: Claim): Promise<void>;
  /** What was charged to credits for each generation, in nano-USD. Generations without a record are missing. */
  chargesOf(generationIds: readonly string[]): Promise<ReadonlyMap<string, bigint>>;
}
