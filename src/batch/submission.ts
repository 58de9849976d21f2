/** A new batch: whether it may be, and its way to the provider (spec 4.6, interface section 8). */
import type { Violation } from '../base/problem.js';
import type { AvailableFunds } from '../ledger/admission.js';
import { limitReached, type SpendLimit } from '../ledger/limits.js';
import { type Batch, inputObject } from './batch.js';
import { bucketFor } from './buckets.js';
import type { BatchDependencies } from './dependencies.js';
import {
  type EndpointSelection,
  formOfModel,
  modelViolations,
  selectEndpoint,
} from './endpoint-selection.js';
import { ProviderFailure, problemOf } from './failure.js';
import { jobTargetOf } from './job-target.js';
import { attributionViolations, type BatchPayer, batchPayerOf } from './payer.js';
import type { Claim, JobTarget, ObjectPlace } from './ports.js';
import { measure, requestViolations } from './requests.js';
import { LIFETIME_MS, waitMs } from './schedule.js';
import { type BatchForm, type SentRequest, stagedLines } from './staging.js';
import { submitJob } from './state-machine.js';

/** A batch as it is asked for. */
export interface NewBatch {
  readonly accountId: string;
  readonly model: string;
  readonly requests: readonly SentRequest[];
  /** null = whichever key serves the model. */
  readonly byokKeyId: string | null;
  /** null = the usage counts for no API key. */
  readonly apiKeyHash: string | null;
}

/** Through what it was asked for. */
export interface Host {
  readonly region: string;
  readonly requestId: string;
  /** Aborted when the client goes away. Once the requests are staged it makes no difference. */
  readonly signal: AbortSignal;
}

/** Every fault of a batch beyond those that the contract names; that a model is unknown is told by `admit`. */
export async function submissionViolations(
  dependencies: BatchDependencies,
  wanted: NewBatch,
): Promise<Violation[]> {
  const catalog = await dependencies.catalogs.current();
  const { model: name, requests } = wanted;
  const asking = formOfModel(catalog, name, dependencies.upstream.formOf);
  return [
    ...modelViolations(catalog, name, dependencies.upstream.formOf),
    ...(await attributionViolations(dependencies, wanted)),
    ...(await requestViolations(requests, { name, resolveId: catalog.resolveId, asking })),
  ];
}

/** A batch that is recorded and claimed, and on its way. */
export interface Admitted {
  readonly claim: Claim;
  readonly asking: BatchForm;
}

/** Keeps the money back and records the batch. Throws a Problem where it may not be. */
export async function admit(
  dependencies: BatchDependencies,
  wanted: NewBatch,
  door: Host,
  id: string,
): Promise<Admitted> {
  const batchPayer = await batchPayerOf(dependencies, wanted);
  return admitFor(dependencies, wanted, door, { batchPayer, id, at: dependencies.clock.now() });
}

/**
 * Stages the requests and asks for the job. A job that the provider can't create yet is no failure: it is asked for
 * again later. Throws a Problem, and nothing is left of the batch then.
 */
export async function submit(
  dependencies: BatchDependencies,
  { claim, asking }: Admitted,
  { requests }: NewBatch,
  { signal }: Host,
): Promise<Claim> {
  let target: JobTarget;
  let staged: Claim;
  try {
    target = await jobTargetOf(dependencies, claim.batch);
    staged = await stage(dependencies, claim, { target, asking, requests }, signal);
  } catch (thrown) {
    await dependencies.store.discard(claim);
    throw problemOf(thrown);
  }
  const { claim: sent, refusal } = await ask(dependencies, staged, target);
  if (refusal === null) return sent;
  await unstage(dependencies, target, placeOf(sent.batch));
  await dependencies.store.discard(sent);
  throw problemOf(refusal);
}

/** What a batch is going to be. */
interface Draft {
  readonly batchPayer: BatchPayer;
  readonly id: string;
  readonly at: number;
}

/** Chooses for an account that can pay, and anew where it can't. */
async function admitFor(
  dependencies: BatchDependencies,
  wanted: NewBatch,
  { region, requestId }: Host,
  { batchPayer, id, at }: Draft,
): Promise<Admitted> {
  const { payer, plan, limit } = batchPayer;
  const { model, byokKeyId, requests } = wanted;
  const limits: SpendLimit[] = [...(limit === null ? [] : [limit]), ...(await dependencies.budgetsOf(payer))];
  let funds: AvailableFunds = { hasCredits: true, hasByokAllowance: true };
  for (;;) {
    const selection = await selectEndpoint(
      dependencies,
      { payer, payment: { plan, at }, region, model, byokKeyId },
      funds,
    );
    const { endpoint, modelReasoning } = selection.attempt;
    const asking = { form: selection.form, endpoint, modelReasoning };
    const { rowsJson, maxCostNanoUsd } = await measure(requests, asking, at);
    const batch = batchOf(selection, { batchPayer, id, at }, requestId, requests.length);
    const maxCost = { sharedNanoUsd: null, byokNanoUsd: maxCostNanoUsd };
    const spend = { payer, plan, limits, maxCost, funds, at };
    const { admission, token } = await dependencies.store.create(batch, rowsJson, spend, at + LIFETIME_MS);
    switch (admission.kind) {
      case 'admitted':
        return { claim: { batch, token }, asking };
      case 'blocked':
        throw limitReached(admission.limit, at);
      case 'funds':
        funds = admission.funds;
    }
  }
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

interface Staging {
  readonly target: JobTarget;
  readonly asking: BatchForm;
  readonly requests: readonly SentRequest[];
}

/** Writes the requests into the bucket, over what an earlier try may have left there. */
async function stage(
  dependencies: BatchDependencies,
  claim: Claim,
  { target, asking, requests }: Staging,
  signal: AbortSignal,
): Promise<Claim> {
  const { store, upstream, meter } = dependencies;
  const bucket = await bucketFor(upstream.storage, target, signal);
  const staged = { ...claim.batch, bucket };
  let bytes = 0;
  async function* lines() {
    bytes = 0;
    for await (const piece of stagedLines(requests, asking)) {
      bytes += piece.byteLength;
      yield piece;
    }
  }
  try {
    await upstream.storage.write(target, placeOf(staged), lines, signal);
  } catch (thrown) {
    if (!(thrown instanceof ProviderFailure) || thrown.isUncertain)
      await unstage(dependencies, target, placeOf(staged));
    throw thrown;
  }
  meter.staged(bytes);
  return store.advance(claim, { stage: 'staged', bucket });
}

/** Removes what is staged or may be; the bucket's lifecycle ends what can't be removed. */
async function unstage({ upstream }: BatchDependencies, target: JobTarget, at: ObjectPlace): Promise<void> {
  await upstream.storage.remove(target, at, new AbortController().signal).catch(() => undefined);
}

function placeOf({ id, bucket }: Pick<Batch, 'id' | 'bucket'>): ObjectPlace {
  return { bucket: bucket ?? '', object: inputObject(id) };
}

interface RequestDemands {
  readonly claim: Claim;
  /** Why there never will be a job; null = there is one, or there will or may be. */
  readonly refusal: ProviderFailure | null;
}

/**
 * Whoever asked may have gone by now, and the process with it: from here on the batch goes its way alone, also where
 * this process can't write down how far it came.
 */
async function ask(
  dependencies: BatchDependencies,
  staged: Claim,
  target: JobTarget,
): Promise<RequestDemands> {
  try {
    const { claim, failure } = await submitJob(dependencies, staged, target, new AbortController().signal);
    if (failure === null) return { claim, refusal: null };
    const isLater = claim.batch.stage === 'submitting' || LATER.has(failure.kind);
    if (!isLater) return { claim, refusal: failure };
    const waiting = await dependencies.store.advance(claim, { error: failure.message, waits: 1 });
    return { claim: waiting, refusal: null };
  } catch (thrown) {
    dependencies.report(thrown);
    return { claim: staged, refusal: null };
  }
}

const LATER: ReadonlySet<string> = new Set(['not_provisioned', 'rate_limited', 'unavailable']);
