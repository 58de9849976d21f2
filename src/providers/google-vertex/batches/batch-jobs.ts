/** Vertex AI's batch prediction jobs: `docs/batches.md`. */
import type { Signal } from '../../../base/signal.js';
import type { Job, Jobs, JobTarget, NewJob } from '../../../batch/ports.js';
import { elements, type JsonObject, members, textOf } from '../../../formats/json.js';
import { malformed } from '../../common/failures.js';
import { resourceUrl, vertexUrl } from '../host/url.js';
import { callGoogleJson, type GoogleDependencies, jobFailureOf, UNPROVISIONED } from './google-client.js';

const COLLECTION = 'batchPredictionJobs';

export function vertexJobs(dependencies: GoogleDependencies): Jobs {
  return {
    async create(target, job, signal) {
      const answer = await callGoogleJson(
        dependencies,
        target,
        {
          method: 'POST',
          url: urlOf(target),
          permission: 'aiplatform.batchPredictionJobs.create',
          body: () => JSON.stringify(bodyOf(job)),
          isIdempotent: false,
        },
        signal,
      );
      return readJob(answer, signal);
    },

    async get(target, name, signal) {
      const url = vertexUrl(target.provider, target.region, `/v1/${name}`);
      const permission = 'aiplatform.batchPredictionJobs.get';
      const call = { method: 'GET', url, permission, isIdempotent: true } as const;
      return readJob(await callGoogleJson(dependencies, target, call, signal), signal);
    },

    async find(target, displayName, signal) {
      const url = urlOf(target);
      url.searchParams.set('filter', `display_name="${displayName}"`);
      const permission = 'aiplatform.batchPredictionJobs.list';
      const call = { method: 'GET', url, permission, isIdempotent: true } as const;
      for (;;) {
        const listed = await callGoogleJson(dependencies, target, call, signal);
        const job = elements(listed[COLLECTION])
          .map(members)
          .filter((one) => one.displayName === displayName)
          .map((one) => readJob(one, signal))
          .find(({ isUnprovisioned }) => !isUnprovisioned);
        const next = textOf(listed.nextPageToken) ?? '';
        if (job !== undefined || next === '') return job;
        url.searchParams.set('pageToken', next);
      }
    },
  };
}

function urlOf({ provider, credential, region }: JobTarget): URL {
  return resourceUrl(provider, credential.projectId, region, { path: COLLECTION });
}

function bodyOf({ displayName, model, inputUri, outputUri }: NewJob) {
  return {
    displayName,
    model,
    inputConfig: { instancesFormat: 'jsonl', gcsSource: { uris: [inputUri] } },
    outputConfig: { predictionsFormat: 'jsonl', gcsDestination: { outputUriPrefix: outputUri } },
  };
}

/** Checked, since the name becomes part of a path. */
const NAME = /^projects\/[\w.:-]+\/locations\/[\w-]+\/batchPredictionJobs\/[\w-]+$/;

/** All other states count as running. */
const STATES: Readonly<Record<string, Job['state']>> = {
  JOB_STATE_QUEUED: 'queued',
  JOB_STATE_PENDING: 'queued',
  JOB_STATE_SUCCEEDED: 'completed',
  JOB_STATE_PARTIALLY_SUCCEEDED: 'completed',
  JOB_STATE_FAILED: 'failed',
  JOB_STATE_EXPIRED: 'failed',
  JOB_STATE_CANCELLED: 'cancelled',
};

/** Error messages for jobs that the provider sends none for. */
const ENDS: { readonly [state in Job['state']]?: string } = {
  failed: 'The job failed',
  cancelled: 'The job was cancelled',
};

function readJob(job: JsonObject, signal: Signal): Job {
  const name = textOf(job.name);
  if (name === undefined || !NAME.test(name)) throw jobFailureOf(malformed(), signal, true);
  const stateText = textOf(job.state) ?? '';
  const state = STATES[stateText] ?? 'running';
  const { successfulCount, failedCount } = members(job.completionStats);
  const providerMessage = textOf(members(job.error).message) ?? null;
  const error =
    providerMessage ?? (stateText === 'JOB_STATE_EXPIRED' ? 'The job took longer than it may' : null);
  return {
    name,
    state,
    completed: countOf(successfulCount),
    failed: countOf(failedCount),
    outputDirectory: textOf(members(job.outputInfo).gcsOutputDirectory) ?? null,
    error: error ?? ENDS[state] ?? null,
    isUnprovisioned: state === 'failed' && UNPROVISIONED.test(providerMessage ?? ''),
  };
}

/** 64-bit integers are sent as strings; -1 means unknown. */
function countOf(value: unknown): number {
  const count = Number(value ?? 0);
  return Number.isSafeInteger(count) && count > 0 ? count : 0;
}
