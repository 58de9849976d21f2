/** Moves a batch from staged requests to its end. Each transition can be repeated after a crash. */
import type { Signal } from '../base/signal.js';
import {
  type Batch,
  type BatchProgress,
  type BatchStage,
  inputObject,
  NEVER,
  outputPrefix,
  storageUri,
} from './batch.js';
import type { BatchDependencies } from './dependencies.js';
import { JobCallFailure } from './failure.js';
import { jobTargetOf } from './job-target.js';
import { meterResults } from './metering.js';
import type { Claim, Job, JobTarget } from './ports.js';
import { LIFETIME_MS, PROVISIONING_MS, SETTLING_MS, waitMs } from './schedule.js';

/**
 * Advances a batch as far as possible now and schedules its next poll. A failure of the provider is recorded in its
 * progress. Anything else is thrown: the signal's reason, a lost claim.
 */
export async function advance(dependencies: BatchDependencies, claim: Claim, signal: Signal): Promise<Claim> {
  let current = claim;
  for (;;) {
    const before = current.batch.stage;
    if (before === 'settled') return current;
    try {
      current = await step(dependencies, current, signal);
    } catch (thrown) {
      if (!(thrown instanceof JobCallFailure)) throw thrown;
      return onFailure(dependencies, current, thrown);
    }
    if (isWaiting(before, current.batch.stage)) return current;
  }
}

/** Whether nothing more can be done now, because the provider is at work or needs time. */
function isWaiting(before: BatchStage, stage: BatchStage): boolean {
  return stage === before || stage === 'submitted' || (before === 'submitted' && stage === 'staged');
}

/** The outcome of creating a job; `failure` null = it was created. */
export interface Submitted {
  readonly claim: Claim;
  readonly failure: JobCallFailure | null;
}

/**
 * Creates the job of a staged batch. While it is not known whether it exists, the batch stays `submitting`, so that a
 * second one is never created.
 */
export async function submitJob(
  dependencies: BatchDependencies,
  staged: Claim,
  target: JobTarget,
  signal: Signal,
): Promise<Submitted> {
  const { store, upstream, clock } = dependencies;
  const whenSettled = () => ({ pollAt: clock.now() + SETTLING_MS });
  const claim = await store.advance(staged, { stage: 'submitting', ...whenSettled() });
  try {
    const job = await upstream.jobs.create(target, jobOf(dependencies, claim.batch), signal);
    return { claim: await store.advance(claim, submitted(dependencies, job)), failure: null };
  } catch (thrown) {
    if (!(thrown instanceof JobCallFailure)) throw thrown;
    const change = thrown.isUncertain
      ? whenSettled()
      : ({ stage: 'staged', pollAt: clock.now() + waitMs(0) } as const);
    return { claim: await store.advance(claim, change), failure: thrown };
  }
}

async function step(dependencies: BatchDependencies, claim: Claim, signal: Signal): Promise<Claim> {
  const { batch } = claim;
  if (dependencies.clock.now() > batch.createdAt + LIFETIME_MS) return fail(dependencies, claim, TOO_OLD);
  if (batch.stage === 'created') return fail(dependencies, claim, INTERRUPTED);
  const target = await jobTargetOf(dependencies, batch);
  switch (batch.stage) {
    case 'staged': {
      const { claim: next, failure } = await submitJob(dependencies, claim, target, signal);
      return failure === null ? next : onFailure(dependencies, next, failure);
    }
    case 'submitting':
      return findJob(dependencies, claim, target, signal);
    case 'submitted':
      return pollJob(dependencies, claim, target, signal);
    case 'ended':
      return settle(dependencies, claim, target, signal);
    case 'settled':
      return claim;
  }
}

/**
 * Looks for a job whose creation had an uncertain outcome, which needs the permission to list jobs. Only after
 * `SETTLING_MS` is it certain that there is no such job.
 */
async function findJob(
  dependencies: BatchDependencies,
  claim: Claim,
  target: JobTarget,
  signal: Signal,
): Promise<Claim> {
  const { store, upstream, clock } = dependencies;
  const { batch } = claim;
  const job = await upstream.jobs.find(target, displayName(batch), signal);
  if (job !== undefined) return store.advance(claim, submitted(dependencies, job));
  return clock.now() < batch.pollAt ? claim : store.advance(claim, { stage: 'staged' });
}

async function pollJob(
  dependencies: BatchDependencies,
  claim: Claim,
  target: JobTarget,
  signal: Signal,
): Promise<Claim> {
  const { batch } = claim;
  const job = await dependencies.upstream.jobs.get(target, batch.providerJob ?? '', signal);
  if (job.isUnprovisioned && !isProvisioned(dependencies, batch)) {
    const { error } = job;
    return dependencies.store.advance(claim, { ...UNSUBMITTED, error, ...nextPoll(dependencies, batch) });
  }
  const counts = { completed: job.completed, failed: job.failed };
  if (job.state === 'queued' || job.state === 'running') {
    const isNews = job.state !== batch.status || job.completed + job.failed > batch.completed + batch.failed;
    const wait = nextPoll(dependencies, isNews ? { waits: 0 } : batch);
    return dependencies.store.advance(claim, { ...counts, ...wait, status: job.state, error: null });
  }
  const { outputDirectory, error, state: status } = job;
  return dependencies.store.advance(claim, {
    ...counts,
    outputDirectory,
    error,
    status,
    stage: 'ended',
    waits: 0,
  });
}

async function settle(
  dependencies: BatchDependencies,
  claim: Claim,
  target: JobTarget,
  signal: Signal,
): Promise<Claim> {
  const counts = await meterResults(dependencies, claim, target, signal);
  const { status, error } = claim.batch;
  return finish(dependencies, claim, {
    ...counts,
    stage: 'settled',
    error: status === 'completed' ? null : error,
    pollAt: NEVER,
  });
}

/** Ends the batch or lets it wait, depending on its stage and the failure. */
async function onFailure(
  dependencies: BatchDependencies,
  claim: Claim,
  failure: JobCallFailure,
): Promise<Claim> {
  const { batch } = claim;
  const { kind, message } = failure;
  const isLost = kind === 'denied' || kind === 'refused' || kind === 'missing' || kind === 'conflict';
  switch (batch.stage) {
    case 'created':
    case 'staged':
      if (isLost || (kind === 'not_provisioned' && isProvisioned(dependencies, batch)))
        return fail(dependencies, claim, message);
      break;
    case 'submitting':
      if (isLost) return fail(dependencies, claim, failure.permission === null ? message : UNCERTAIN);
      break;
    case 'submitted':
      // The job is gone, but what it wrote may still exist.
      if (kind === 'missing') {
        const end = { stage: 'ended', status: 'failed', error: message } as const;
        return dependencies.store.advance(claim, { ...end, waits: 0, pollAt: dependencies.clock.now() });
      }
      break;
    case 'ended':
      if (kind === 'missing') return fail(dependencies, claim, message);
      break;
    case 'settled':
      return claim;
  }
  // The reason of a failed job is never overwritten.
  const hasFinalError = batch.stage === 'ended' && batch.status !== 'completed' && batch.error !== null;
  const error = hasFinalError ? batch.error : message;
  const { waits, pollAt } = nextPoll(dependencies, batch);
  return dependencies.store.advance(claim, { error, waits, pollAt: Math.max(pollAt, settledAt(batch)) });
}

/** Ends a batch that has no results. */
function fail(dependencies: BatchDependencies, claim: Claim, error: string): Promise<Claim> {
  const counts = { completed: 0, failed: claim.batch.total };
  return finish(dependencies, claim, { ...counts, stage: 'settled', status: 'failed', error, pollAt: NEVER });
}

async function finish(
  { store, meter }: BatchDependencies,
  claim: Claim,
  change: Partial<BatchProgress>,
): Promise<Claim> {
  const finished = await store.finish(claim, change);
  meter.ended(finished.batch);
  return finished;
}

function submitted({ clock }: BatchDependencies, { name, state }: Job): Partial<BatchProgress> {
  const status = state === 'queued' ? 'queued' : 'running';
  return {
    stage: 'submitted',
    providerJob: name,
    status,
    error: null,
    waits: 0,
    pollAt: clock.now() + waitMs(0),
  };
}

function nextPoll(
  { clock }: BatchDependencies,
  { waits }: Pick<Batch, 'waits'>,
): Pick<BatchProgress, 'waits' | 'pollAt'> {
  return { waits: waits + 1, pollAt: clock.now() + waitMs(waits) };
}

/** When it becomes certain that a job that was not found does not exist; 0 unless the batch waits for that. */
function settledAt({ stage, pollAt }: Batch): number {
  return stage === 'submitting' ? pollAt : 0;
}

/** Resets a batch whose job failed for lack of service agents, so that it is created again. */
const UNSUBMITTED = {
  stage: 'staged',
  status: 'validating',
  providerJob: null,
  completed: 0,
  failed: 0,
} as const;

/** Whether the provider's service agents must exist by now. */
function isProvisioned({ clock }: BatchDependencies, { createdAt }: Batch): boolean {
  return clock.now() > createdAt + PROVISIONING_MS;
}

function jobOf({ upstream }: BatchDependencies, batch: Batch) {
  const { id, bucket } = batch;
  const model = upstream.formOf(batch)?.model;
  if (bucket === null || model === undefined) throw new TypeError('a batch is submitted that is not staged');
  return {
    displayName: displayName(batch),
    model,
    inputUri: storageUri(bucket, inputObject(id)),
    outputUri: storageUri(bucket, outputPrefix(id)),
  };
}

function displayName({ id }: Batch): string {
  return `byway-${id}`;
}

const TOO_OLD = 'The batch did not end within 30 days';
const INTERRUPTED = 'The gateway stopped before the requests were staged; submit the batch again';
const UNCERTAIN =
  'The gateway stopped while it created the job, and lacks the permission aiplatform.batchPredictionJobs.list to find out whether the job exists; it is not created twice';
