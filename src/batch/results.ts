/** Reads the outcome of each request of a job from the files that the provider wrote. */
import { readJson } from '../base/json/bounded/read-json.js';
import type { StructureLimits } from '../base/json/bounded/structure.js';
import { limitGarbage } from '../base/memory/collect-garbage.js';
import { Problem } from '../base/problem.js';
import type { Signal } from '../base/signal.js';
import { runInSlices } from '../base/time-slices.js';
import { elements, isObject, type JsonObject, members } from '../formats/json.js';
import { imageTokensIn } from '../routing/estimate/image-tokens.js';
import { CHARACTERS_PER_TOKEN } from '../routing/estimate/prompt-tokens.js';
import {
  type Batch,
  type BatchRow,
  type BatchToolNames,
  outputPrefix,
  type RowRefusal,
  storageUri,
} from './batch.js';
import type { BatchMeter, JobTarget, LineForm, RowOutcome, Storage } from './ports.js';
import { readLines } from './read-lines.js';
import type { BatchRows } from './rows.js';

/** The outcome of one request; `row` is its position in the batch. */
export interface RowResult {
  readonly row: number;
  readonly outcome: RowOutcome;
}

export interface ResultSource {
  readonly storage: Pick<Storage, 'objects' | 'read'>;
  readonly target: JobTarget;
  readonly form: LineForm;
  readonly meter: Pick<BatchMeter, 'collected'>;
  readonly rows: Pick<BatchRows, 'refused'>;
}

/**
 * Yields one result for each request: first those in the provider's files, in their order, then the requests without
 * a readable result, as failed, those that were not sent among them. Reads lazily, with backpressure. Throws `JobCallFailure`, and a 404 Problem if there
 * are fewer answers than when the batch was metered.
 */
export async function* readResults(
  { storage, target, form, meter, rows }: ResultSource,
  { id, stage, bucket, outputDirectory, total, completed, error }: Batch,
  signal: Signal,
): AsyncGenerator<RowResult, void, undefined> {
  const seen = new Uint8Array(total);
  let answered = 0;
  if (bucket !== null) {
    const objects = await storage.objects(target, { bucket, object: outputPrefix(id) }, signal);
    const read = form.reader(target);
    for (const object of objects.filter((name) => isResult(storageUri(bucket, name), outputDirectory))) {
      for await (const line of readLines(counted(storage.read(target, { bucket, object }, signal), meter))) {
        const result = read(await parseLine(line));
        if (result === undefined || seen[result.row] !== 0) continue;
        seen[result.row] = 1;
        if (result.outcome.kind === 'answered') answered += 1;
        yield result;
      }
    }
  }
  if (stage === 'settled' && answered < completed) throw new Problem('not_found', RESULTS_GONE);
  for (let row = 0; row < total; row += 1) {
    if (seen[row] === 0) yield { row, outcome: unanswered(rows.refused.get(row), error) };
  }
}

async function* counted(
  pieces: AsyncIterable<Uint8Array>,
  meter: Pick<BatchMeter, 'collected'>,
): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const piece of pieces) {
    meter.collected(piece.byteLength);
    limitGarbage();
    yield piece;
  }
}

type Answered = Extract<RowOutcome, { readonly kind: 'answered' }>;

/** The answer with the names of tools as the client gave them. */
export function withToolNames(outcome: Answered, names: BatchToolNames): Answered {
  const named = (call: JsonObject): JsonObject => {
    const called = members(call.function);
    const given = typeof called.name === 'string' && Object.hasOwn(names, called.name) && names[called.name];
    return given === false ? call : { ...call, function: { ...called, name: given } };
  };
  const choices = outcome.choices.map((choice) => {
    const message = members(choice.message);
    const calls = elements(message.tool_calls).map(members);
    return calls.length === 0 ? choice : { ...choice, message: { ...message, tool_calls: calls.map(named) } };
  });
  return { ...outcome, choices };
}

/** Estimates of the counts that the provider left out for a row. */
export function estimatesOf(
  { promptTokens, images }: BatchRow,
  answered: { readonly characters: number; readonly images: number },
  pricing: Batch['pricing'],
) {
  return {
    promptTokens: () => promptTokens,
    completionTokens: () => Math.ceil(answered.characters / CHARACTERS_PER_TOKEN),
    images: () => images,
    outputImages: () => answered.images,
    imageOutputTokens: (completion: number, reasoning: number) =>
      imageTokensIn(answered, pricing, completion, reasoning),
    // No model that searches on its own supports batches.
    webSearches: () => 0,
    searchUnits: () => 0,
  };
}

function unanswered(refused: RowRefusal | undefined, error: string | null): RowOutcome {
  if (refused !== undefined) return { kind: 'failed', ...refused };
  return {
    kind: 'failed',
    status: 502,
    message: error ?? 'The provider wrote no result for this request that can be read',
  };
}

/**
 * Whether the file holds results of this job: jobs write other files too, and an earlier failed job may have left a
 * directory.
 */
function isResult(uri: string, directory: string | null): boolean {
  return uri.endsWith('.jsonl') && (directory === null || uri.startsWith(`${directory.replace(/\/$/, '')}/`));
}

/** A result repeats its request beside its answer. Anything larger is not read. */
const LINE_LIMITS: StructureLimits = { containers: 300_000, values: 1_500_000, names: 20_000, depth: 200 };

/**
 * Parses a line. A line that is not JSON, or has more structure than a result may have, is an empty object, which
 * belongs to no request.
 */
async function parseLine(line: Buffer): Promise<JsonObject> {
  try {
    const value = await runInSlices(readJson(line, { limits: LINE_LIMITS, hasExactIntegers: true }));
    return isObject(value) ? value : {};
  } catch (thrown) {
    if (thrown instanceof SyntaxError || thrown instanceof Problem) return {};
    throw thrown;
  }
}

const RESULTS_GONE = 'The results are no longer in the bucket, or not all of them';
