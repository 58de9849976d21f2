/** What batches need of the provider and of a store. */

import type { Violation } from '../base/problem.js';
import type { VertexCredential } from '../byok/kinds/google-vertex.js';
import type { Endpoint, Provider, Reasoning } from '../catalog/types.js';
import type { Admission, SpendRequest } from '../ledger/admission.js';
import type { Metered } from '../ledger/price.js';
import type { Charge } from '../ledger/settlement.js';
import type { Batch, BatchOrder, BatchProgress } from './batch.js';

/** JSON whose members are the provider's or the dialect's business. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Where a batch runs, and as whom. */
export interface JobTarget {
  readonly provider: Provider;
  readonly credential: VertexCredential;
  /** null = global. */
  readonly region: string | null;
}

/** The provider's storage. Every call throws `ProviderFailure`, or the signal's reason once it is aborted. */
export interface Storage {
  /** Names of the buckets of the site's own project that begin like this. */
  ownBuckets(target: JobTarget, prefix: string, signal: AbortSignal): Promise<readonly string[]>;
  /** Makes a private bucket whose objects go after 30 days (spec 4.6.1). Throws `conflict` where anybody has that name. */
  createBucket(target: JobTarget, name: string, location: string, signal: AbortSignal): Promise<void>;
  /** Reads the bucket's metadata, which everybody needs who works with it. */
  checkBucket(target: JobTarget, name: string, signal: AbortSignal): Promise<void>;
  /** Writes an object whole or not at all, in the place of an older one. `content` is asked for anew by each try. */
  write(
    target: JobTarget,
    at: ObjectPlace,
    content: () => AsyncIterable<Uint8Array>,
    signal: AbortSignal,
  ): Promise<void>;
  /** Names of the objects that begin like this, in their order. */
  objects(target: JobTarget, at: ObjectPlace, signal: AbortSignal): Promise<readonly string[]>;
  /** An object's content, read no faster than it is pulled. */
  read(target: JobTarget, at: ObjectPlace, signal: AbortSignal): AsyncIterable<Uint8Array>;
  /** Deletes an object, if it is there. */
  remove(target: JobTarget, at: ObjectPlace, signal: AbortSignal): Promise<void>;
}

/** An object, or what the names of some begin with. */
export interface ObjectPlace {
  readonly bucket: string;
  readonly object: string;
}

/** The job to create. */
export interface NewJob {
  /** Unique to the batch. */
  readonly displayName: string;
  /** As the provider names models in jobs. */
  readonly model: string;
  readonly inputUri: string;
  readonly outputUri: string;
}

/** A job as the provider tells of it. */
export interface Job {
  /** The provider's name of it. */
  readonly name: string;
  readonly state: 'queued' | 'running' | 'completed' | 'failed' | 'cancelled';
  readonly completed: number;
  readonly failed: number;
  readonly outputDirectory: string | null;
  readonly error: string | null;
  /** Whether it failed only because the provider's own agents are still being made. */
  readonly isUnprovisioned: boolean;
}

/** The provider's batch jobs; calls throw as those of `Storage`. */
export interface Jobs {
  create(target: JobTarget, job: NewJob, signal: AbortSignal): Promise<Job>;
  get(target: JobTarget, name: string, signal: AbortSignal): Promise<Job>;
  /**
   * The job of this display name, whoever was told of its creation; undefined when there is none but such as are
   * `isUnprovisioned`.
   */
  find(target: JobTarget, displayName: string, signal: AbortSignal): Promise<Job | undefined>;
}

/** What became of one request, in our dialect. */
export type RowOutcome =
  | {
      readonly kind: 'answered';
      readonly choices: readonly JsonObject[];
      readonly systemFingerprint: string | null;
      readonly usage: Partial<Metered>;
      /** Of all that was produced, for where the provider does not count. */
      readonly characters: number;
      /** Images of all choices. */
      readonly images: number;
      readonly finishReason: string | null;
      readonly nativeFinishReason: string | null;
    }
  | { readonly kind: 'failed'; readonly status: number; readonly message: string };

/** Whom requests are put to. */
export interface BatchEndpoint {
  readonly endpoint: Endpoint;
  /** What is known of how the model reasons; null = it does not. */
  readonly modelReasoning: Reasoning | null;
}

/** How requests to one model and their results are spelled in a job's files. */
export interface LineForm {
  readonly model: string;
  /** What a request asks of reasoning and can't have, by the members of its body (spec 2.1). */
  violations(body: JsonObject, asked: BatchEndpoint): readonly Violation[];
  /** Whether the answer is to come without the reasoning that led to it. */
  hidesReasoning(body: JsonObject): boolean;
  /** The line of a request. Throws `ProviderFailure` `refused` at what the model can't be asked. */
  line(row: number, body: JsonObject, asked: BatchEndpoint): JsonObject;
  /** Reads the results that the site's account was given; nothing of the account's secrets is in what they come to. */
  reader(target: JobTarget): LineReader;
}

/** Which request a line of the results belongs to, and what became of it; undefined when it does not say. */
export type LineReader = (
  line: JsonObject,
) => { readonly row: number; readonly outcome: RowOutcome } | undefined;

/** The provider. */
export interface BatchUpstream {
  readonly storage: Storage;
  readonly jobs: Jobs;
  /** undefined for a model that has no form in jobs. */
  formOf(endpoint: Pick<Endpoint, 'upstreamModelId'>): LineForm | undefined;
}

/** Counts what comes of batches. */
export interface BatchMeter {
  submitted(): void;
  ended(batch: Pick<Batch, 'status' | 'completed' | 'failed'>): void;
  /** Bytes of requests are in the bucket. */
  staged(bytes: number): void;
  /** Bytes of results came out of it. */
  collected(bytes: number): void;
}

/** Somebody's right to move a batch on, until it is given back or runs out. */
export interface Claim {
  readonly batch: Batch;
  readonly token: string;
}

/** One request that was answered, to be charged and recorded. */
export interface ChargedRow {
  readonly generationId: string;
  readonly metered: Metered;
  readonly charge: Charge;
  readonly finishReason: string | null;
  readonly nativeFinishReason: string | null;
}

/** Where batches are kept. */
export interface BatchStore {
  /**
   * Decides on the money and, when it is admitted, keeps it back and records the batch with its rows, claimed: all in
   * one step. What is kept back lasts until `finish` or `discard`, at most until `expiresAt`.
   */
  create(
    batch: Batch,
    rowsJson: string,
    request: SpendRequest,
    expiresAt: number,
  ): Promise<{ readonly admission: Admission; readonly token: string }>;
  /** undefined for what does not exist and for another account's alike. */
  find(accountId: string, id: string): Promise<Batch | undefined>;
  list(
    accountId: string,
    page: { readonly offset: number; readonly limit: number },
  ): Promise<{ readonly batches: readonly Batch[]; readonly totalCount: number }>;
  /** The JSON of the batch's rows, as `create` was given it. */
  rows(id: string): Promise<string>;
  /** Batches to look at now, the one that has waited longest first. */
  due(now: number, count: number): Promise<readonly string[]>;
  /** undefined while somebody else has it, or when there is no such batch. Who renews it no more has it no more. */
  claim(id: string, now: number): Promise<Claim | undefined>;
  /** Keeps the claim for longer. */
  renew(claim: Claim, now: number): Promise<void>;
  release(claim: Claim): Promise<void>;
  /** Writes progress down. Throws when the claim was lost. */
  advance(claim: Claim, change: Partial<BatchProgress>): Promise<Claim>;
  /** Charges and records rows, those not that are recorded already. */
  settle(order: BatchOrder, rows: readonly ChargedRow[]): Promise<void>;
  /** As `advance`, and what is kept back is released, in one step. */
  finish(claim: Claim, change: Partial<BatchProgress>): Promise<Claim>;
  /** Forgets a batch that nothing came of, and releases what is kept back. */
  discard(claim: Claim): Promise<void>;
  /** What was charged to credits for these generations, in nano-USD; those that are not recorded are missing. */
  chargesOf(generationIds: readonly string[]): Promise<ReadonlyMap<string, bigint>>;
}
