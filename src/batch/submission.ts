/**
 * Submits a batch: checks it, reserves its max cost, stages its requests and creates its job. See
 * docs/batches.md#submitting.
 */
import type { Violation } from '../base/problem.js';
import type { Signal } from '../base/signal.js';
import type { SpendLimit } from '../ledger/limits.js';
import { planAndReserve } from '../ledger/plan-and-reserve.js';
import { AT_ONCE } from '../ledger/reservation-queues.js';
import { type Batch, inputObject, type RowRefusal } from './batch.js';
import { bucketFor } from './buckets.js';
import type { BatchDependencies } from './dependencies.js';
import {
  type EndpointSelection,
  formOfModel,
  modelViolations,
  selectEndpoint,
} from './endpoint-selection.js';
import { batchProblemOf, JobCallFailure } from './failure.js';
import { jobTargetOf } from './job-target.js';
import { type BatchPayer, batchPayerOf, endUserRulesOf, namedPayerViolations } from './payer.js';
import type { Claim, JobTarget, ObjectLocation } from './ports.js';
import { measure, requestViolations } from './requests.js';
import { LIFETIME_MS, waitMs } from './schedule.js';
import { type BatchForm, type StagedRequest, stagedLines } from './staging.js';
import { submitJob } from './state-machine.js';

export interface NewBatch {
  readonly accountId: string;
  readonly model: string;
  readonly requests: readonly StagedRequest[];
  /** null = the first key that serves the model. */
  readonly byokKeyId: string | null;
  /** null = the usage is attributed to no API key. */
  readonly apiKeyHash: string | null;
}

/** The request that submits a batch. */
export interface SubmissionContext {
  /** The region of the host that it came in through. */
  readonly region: string;
  /** Root of absolute URLs, without a trailing slash. */
  readonly baseUrl: string;
  readonly requestId: string;
  /** Aborted when the client leaves. Without effect once the requests are staged. */
  readonly signal: Signal;
}

/** Violations that the contract's own rules do not find. An unknown model is reported by `admit`. */
export async function submissionViolations(
  dependencies: BatchDependencies,
  newBatch: NewBatch,
): Promise<Violation[]> {
  const catalog = await dependencies.catalogs.current();
  const { model: name, requests } = newBatch;
  const batchForm = formOfModel(catalog, name, dependencies.upstream.formOf);
  const endUsers = await endUserRulesOf(dependencies, newBatch);
  return [
    ...modelViolations(catalog, name, dependencies.upstream.formOf),
    ...(await namedPayerViolations(dependencies, newBatch)),
    ...(await requestViolations(requests, { name, resolveId: catalog.resolveId, batchForm, endUsers })),
  ];
}

/** A batch that is recorded and claimed, with its max cost reserved. */
export interface AdmittedBatch {
  readonly claim: Claim;
  readonly batchForm: BatchForm;
  /** The requests that are not sent, by position. */
  readonly refused: ReadonlyMap<number, RowRefusal>;
}

/** Reserves the max cost and records the batch. Throws a Problem if it is not admitted. */
export async function admitBatch(
  dependencies: BatchDependencies,
  newBatch: NewBatch,
  context: SubmissionContext,
  id: string,
): Promise<AdmittedBatch> {
  const batchPayer = await batchPayerOf(dependencies, newBatch);
  return admitFor(dependencies, newBatch, context, { batchPayer, id, at: dependencies.clock.now() });
}

/**
 * Stages the requests and creates the job. If the provider can't create a job yet, that is tried again later. Throws
 * a Problem, and then nothing of the batch is left.
 */
export async function submitBatch(
  dependencies: BatchDependencies,
  { claim, batchForm, refused }: AdmittedBatch,
  { requests }: NewBatch,
  { signal }: SubmissionContext,
): Promise<Claim> {
  let target: JobTarget;
  let staged: Claim;
  try {
    target = await jobTargetOf(dependencies, claim.batch);
    staged = await stage(dependencies, claim, { target, batchForm, requests, refused }, signal);
  } catch (thrown) {
    await dependencies.store.discard(claim);
    throw batchProblemOf(thrown);
  }
  const { claim: sent, refusal } = await requestJob(dependencies, staged, target);
  if (refusal === null) return sent;
  await unstage(dependencies, target, inputLocation(sent.batch));
  await dependencies.store.discard(sent);
  throw batchProblemOf(refusal);
}

interface Draft {
  readonly batchPayer: BatchPayer;
  readonly id: string;
  readonly at: number;
}

/**
 * Selects an endpoint as if the account could pay, and once more with the funds that the ledger reports if it can't.
 */
async function admitFor(
  dependencies: BatchDependencies,
  newBatch: NewBatch,
  { region, baseUrl, requestId }: SubmissionContext,
  { batchPayer, id, at }: Draft,
): Promise<AdmittedBatch> {
  const { payer, plan, limit, endUsers } = batchPayer;
  const { model, byokKeyId, requests } = newBatch;
  const limits: SpendLimit[] = [...(limit === null ? [] : [limit]), ...(await dependencies.budgetsOf(payer))];
  return planAndReserve(at, AT_ONCE, async (funds, account) => {
    const selection = await selectEndpoint(
      dependencies,
      { payer, payment: { plan, at, account }, region, baseUrl, model, byokKeyId },
      funds,
    );
    const { endpoint, modelReasoning } = selection.attempt;
    const batchForm = { form: selection.form, endpoint, modelReasoning };
    const rows = await measure(requests, {
      ...selection,
      ...{ at, isLimited: limits.length > 0, endUsers },
    });
    const batch = batchOf(selection, { batchPayer, id, at }, requestId, requests.length);
    const spend = { payer, plan, limits, funds, at };
    const created = await dependencies.store.create(batch, rows, spend, at + LIFETIME_MS);
    const { admission, token, refused } = created;
    return { plan: { claim: { batch, token }, batchForm, refused }, admission };
  });
}

function batchOf(
  { attempt, key }: EndpointSelection,
  { batchPayer: { payer, plan }, id, at }: Draft,
  requestId: string,
  total: number,
): Batch {
  const { endpoint, provider, region } = attempt;
  return {
    id,
    payer,
    plan,
    requestId,
    provider: provider.slug,
    providerName: provider.name,
    byokKeyId: key.id,
    endpoint: endpoint.id,
    model: endpoint.modelId,
    upstreamModelId: endpoint.upstreamModelId,
    region,
    pricing: endpoint.pricing,
    total,
    createdAt: at,
    stage: 'created',
    status: 'validating',
    bucket: null,
    providerJob: null,
    outputDirectory: null,
    completed: 0,
    failed: 0,
    error: null,
    waits: 0,
    pollAt: at + waitMs(0),
  };
}

interface Staging extends Pick<AdmittedBatch, 'batchForm' | 'refused'> {
  readonly target: JobTarget;
  readonly requests: readonly StagedRequest[];
}

/** Staging: writes the requests into the bucket, overwriting what an interrupted submission may have left there. */
async function stage(
  dependencies: BatchDependencies,
  claim: Claim,
  { target, batchForm, requests, refused }: Staging,
  signal: Signal,
): Promise<Claim> {
  const { store, upstream, meter } = dependencies;
  const bucket = await bucketFor(upstream.storage, target, signal);
  const staged = { ...claim.batch, bucket };
  let bytes = 0;
  async function* lines() {
    bytes = 0;
    for await (const piece of stagedLines(requests, batchForm, refused)) {
      bytes += piece.byteLength;
      yield piece;
    }
  }
  try {
    await upstream.storage.write(target, inputLocation(staged), lines, signal);
  } catch (thrown) {
    if (!(thrown instanceof JobCallFailure) || thrown.isUncertain)
      await unstage(dependencies, target, inputLocation(staged));
    throw thrown;
  }
  meter.staged(bytes);
  return store.advance(claim, { stage: 'staged', bucket });
}

/** Deletes the staged object, if there is one. If that fails, the bucket's lifecycle deletes it later. */
async function unstage(
  { upstream }: BatchDependencies,
  target: JobTarget,
  at: ObjectLocation,
): Promise<void> {
  await upstream.storage.remove(target, at, new AbortController().signal).catch(() => undefined);
}

function inputLocation({ id, bucket }: Pick<Batch, 'id' | 'bucket'>): ObjectLocation {
  return { bucket: bucket ?? '', object: inputObject(id) };
}

interface JobRequest {
  readonly claim: Claim;
  /** Why there will never be a job; null = it exists, or may exist later. */
  readonly refusal: JobCallFailure | null;
}

/**
 * From here on the batch depends neither on the client, which may have disconnected, nor on this process: the poller
 * continues it even if progress could not be recorded.
 */
async function requestJob(
  dependencies: BatchDependencies,
  staged: Claim,
  target: JobTarget,
): Promise<JobRequest> {
  try {
    const { claim, failure } = await submitJob(dependencies, staged, target, new AbortController().signal);
    if (failure === null) return { claim, refusal: null };
    const isLater = claim.batch.stage === 'submitting' || RETRIED_LATER.has(failure.kind);
    if (!isLater) return { claim, refusal: failure };
    const waiting = await dependencies.store.advance(claim, { error: failure.message, waits: 1 });
    return { claim: waiting, refusal: null };
  } catch (thrown) {
    dependencies.report(thrown);
    return { claim: staged, refusal: null };
  }
}

const RETRIED_LATER: ReadonlySet<string> = new Set(['not_provisioned', 'rate_limited', 'unavailable']);
