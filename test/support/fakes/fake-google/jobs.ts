/**
 * Vertex AI's batch prediction jobs: they read from the fake storage, and write to it when they succeed. States and members:
 * https://cloud.google.com/vertex-ai/docs/reference/rest/v1/projects.locations.batchPredictionJobs; lines and files of
 * results: https://cloud.google.com/vertex-ai/generative-ai/docs/multimodal/batch-prediction-from-cloud-storage, and of a
 * request that failed https://github.com/GoogleCloudPlatform/generative-ai/issues/1308.
 */
import { wholeMessage } from '../fake-anthropic/answer.js';
import type { MessagesCall } from '../fake-anthropic/plan.js';
import { wholeAnswer } from '../fake-vertex/answer.js';
import { type FakeError, googleError } from '../fake-vertex/error.js';
import type { GenerateCall } from '../fake-vertex/plan.js';
import type { FakeStorage } from './storage.js';

export interface FakeJob {
  readonly name: string;
  readonly displayName: string;
  readonly model: string;
  readonly input: { readonly bucket: string; readonly object: string };
  readonly output: { readonly bucket: string; readonly object: string };
  state: string;
  error: string | null;
  outputDirectory: string | null;
  successful: number;
  failed: number;
}

/** How jobs run; by default they succeed after a while. */
export interface JobPlan {
  /** Polls until a job ends; by default 2, Infinity = never. */
  readonly looks?: number;
  /** The state that it ends in, and why. */
  readonly state?: string;
  readonly error?: string;
  /** The text of an answer, instead of the default one. */
  readonly words?: readonly string[];
  /** Requests without results, by their position in the file. */
  readonly missing?: readonly number[];
  /** Written instead of a result, which is a line without its line break. */
  readonly write?: (result: string, position: number) => string;
}

interface NewJob {
  readonly displayName?: string;
  readonly model?: string;
  readonly inputConfig?: { readonly gcsSource?: { readonly uris?: readonly string[] } };
  readonly outputConfig?: { readonly gcsDestination?: { readonly outputUriPrefix?: string } };
}

export class FakeJobs {
  readonly all: FakeJob[] = [];
  /** Whether the provider's own agents exist. */
  isProvisioned = true;
  plan: JobPlan = {};
  readonly #storage: FakeStorage;
  readonly #looks = new Map<string, number>();

  constructor(storage: FakeStorage) {
    this.#storage = storage;
  }

  create(project: string, location: string, body: NewJob): object | FakeError {
    const denied = this.#denied('aiplatform.batchPredictionJobs.create', project);
    if (denied !== undefined) return denied;
    if (!this.isProvisioned) return UNPROVISIONED;
    const input = placeOf(body.inputConfig?.gcsSource?.uris?.[0]);
    const output = placeOf(body.outputConfig?.gcsDestination?.outputUriPrefix);
    const isKnown = /^publishers\/(google|anthropic)\/models\/\S+$/.test(body.model ?? '');
    if (!isKnown || input === undefined || output === undefined || body.displayName === undefined) {
      return googleError(400, 'INVALID_ARGUMENT', 'Request contains an invalid argument.');
    }
    const job: FakeJob = {
      name: `projects/123456789/locations/${location}/batchPredictionJobs/${jobId(body.displayName, this.all.length)}`,
      displayName: body.displayName,
      model: body.model ?? '',
      input,
      output,
      state: 'JOB_STATE_PENDING',
      error: null,
      outputDirectory: null,
      successful: 0,
      failed: 0,
    };
    this.all.push(
      this.all.some(({ name }) => name === job.name)
        ? { ...job, name: `${job.name}-${this.all.length}` }
        : job,
    );
    return shown(this.all.at(-1) ?? job);
  }

  get(project: string, name: string): object | FakeError {
    const denied = this.#denied('aiplatform.batchPredictionJobs.get', project);
    if (denied !== undefined) return denied;
    const job = this.all.find((one) => one.name === name);
    if (job === undefined) return googleError(404, 'NOT_FOUND', `The BatchPredictionJob does not exist.`);
    const looks = (this.#looks.get(name) ?? 0) + 1;
    this.#looks.set(name, looks);
    if (isRunning(job)) {
      if (looks >= (this.plan.looks ?? 2)) this.#end(job);
      else job.state = 'JOB_STATE_RUNNING';
    }
    return shown(job);
  }

  list(project: string, filter: string): object | FakeError {
    const denied = this.#denied('aiplatform.batchPredictionJobs.list', project);
    if (denied !== undefined) return denied;
    const displayName = /^display_name="([^"]*)"$/.exec(filter)?.[1];
    const found = this.all.filter((job) => job.displayName === displayName);
    return found.length === 0 ? {} : { batchPredictionJobs: found.map(shown) };
  }

  #denied(permission: string, project: string): FakeError | undefined {
    if (this.#storage.permissions.has(permission)) return undefined;
    const resource = `//aiplatform.googleapis.com/projects/${project}/locations/global`;
    const message = `Permission '${permission}' denied on resource '${resource}' (or it may not exist).`;
    return googleError(403, 'PERMISSION_DENIED', message);
  }

  #end(job: FakeJob): void {
    job.state = this.plan.state ?? 'JOB_STATE_SUCCEEDED';
    job.error = this.plan.error ?? null;
    if (job.error !== null) return;
    const input = this.#storage.buckets.get(job.input.bucket)?.objects.get(job.input.object);
    const lines = (input?.toString() ?? '').trimEnd().split('\n');
    // Results come in no order.
    const results = lines
      .flatMap((line, index) => (this.plan.missing?.includes(index) ? [] : [this.#written(job, line, index)]))
      .reverse();
    const directory = `${job.output.object}prediction-model-2026-01-05T12:31:07.123456Z`;
    const { objects } = this.#storage.buckets.get(job.output.bucket) ?? { objects: new Map() };
    const half = Math.ceil(results.length / 2);
    objects.set(`${directory}/predictions.jsonl`, Buffer.from(results.slice(0, half).join('')));
    // Large jobs write several files, and one without results.
    objects.set(`${directory}/predictions_2.jsonl`, Buffer.from(results.slice(half).join('')));
    objects.set(`${job.output.object}manifest.txt`, Buffer.from('nothing of interest'));
    job.outputDirectory = `gs://${job.output.bucket}/${directory}`;
  }

  #written(job: FakeJob, line: string, position: number): string {
    const result = this.#result(job, line);
    return `${this.plan.write?.(result, position) ?? result}\n`;
  }

  #result(job: FakeJob, line: string): string {
    const sent = JSON.parse(line);
    const isBad = line.includes('cannot be answered');
    if (isBad) job.failed += 1;
    else job.successful += 1;
    const status = isBad
      ? `Bad Request: ${JSON.stringify(googleError(400, 'INVALID_ARGUMENT', 'Unable to answer this.').body)}`
      : '';
    const response = isBad ? {} : this.#response(job, sent.request);
    return JSON.stringify({ status, processed_time: '2026-01-05T12:31:00.000+00:00', ...sent, response });
  }

  #response({ model }: FakeJob, request: object): object {
    const name = model.split('/').at(-1) ?? '';
    const { words } = this.plan;
    if (model.startsWith('publishers/anthropic/')) {
      const call = { ...request, model: name.replace(/@.*/, '') } as MessagesCall;
      return wholeMessage(call, words === undefined ? {} : { words });
    }
    return wholeAnswer(request as GenerateCall, words === undefined ? {} : { words }, name);
  }
}

/** Real ids are numbers; these do not depend on other jobs. */
function jobId(displayName: string, count: number): string {
  return /[0-9a-f-]{36}$/.exec(displayName)?.[0] ?? String(1000 + count);
}

function isRunning({ state }: FakeJob): boolean {
  return state === 'JOB_STATE_PENDING' || state === 'JOB_STATE_RUNNING';
}

/** 64-bit integers are strings in JSON. */
function shown(job: FakeJob): object {
  const isStarted = job.state !== 'JOB_STATE_PENDING';
  return {
    name: job.name,
    displayName: job.displayName,
    model: job.model,
    state: job.state,
    createTime: '2026-01-05T12:30:00.123456Z',
    ...(job.outputDirectory !== null && { outputInfo: { gcsOutputDirectory: job.outputDirectory } }),
    ...(job.error !== null && { error: { code: 9, message: job.error } }),
    ...(isStarted && {
      completionStats: { successfulCount: String(job.successful), failedCount: String(job.failed) },
    }),
  };
}

function placeOf(uri = ''): { bucket: string; object: string } | undefined {
  const [, bucket, object] = /^gs:\/\/([^/]+)\/(.+)$/.exec(uri) ?? [];
  return bucket === undefined || object === undefined ? undefined : { bucket, object };
}

/** https://github.com/GoogleCloudPlatform/generative-ai/issues/1308 */
const UNPROVISIONED = googleError(
  400,
  'FAILED_PRECONDITION',
  'Service agents are being provisioned (https://cloud.google.com/vertex-ai/docs/general/access-control#service-agents). Service agents are needed to read the Cloud Storage file provided. So please try again in a few minutes.',
);
