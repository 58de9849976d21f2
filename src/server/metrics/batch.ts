/** What batches come to, in numbers. Nobody's name is among the labels. */
import { counts, type Family } from './families.js';

/** How a batch may have ended. */
const ENDS = ['completed', 'failed', 'cancelled'] as const;

/** Counts batches. */
export interface BatchMeter {
  readonly families: readonly Family[];
  /** A batch was taken. */
  submitted(): void;
  /** It is over and metered, with so many requests answered and so many not. */
  ended(batch: { readonly status: string; readonly completed: number; readonly failed: number }): void;
  /** Bytes of requests are in the bucket. */
  staged(bytes: number): void;
  /** Bytes of results came out of it, to be metered or to be passed on. */
  collected(bytes: number): void;
}

/** A meter that stands at zero. */
export function createBatchMeter(): BatchMeter {
  const submitted = counts('byway_batches_submitted_total', 'Batches that were submitted.');
  const ended = counts('byway_batches_ended_total', 'Batches that have ended, by how.', 'status');
  const requests = counts(
    'byway_batch_requests_total',
    'Requests of batches that have ended, by what became of them.',
    'outcome',
  );
  const bytes = counts(
    'byway_batch_bytes_total',
    'Bytes of requests staged in buckets, and of results collected from them, as often as they are.',
    'direction',
  );
  // So that they are seen to be 0 before anything happens.
  submitted.at();
  for (const status of ENDS) ended.at(status);
  for (const outcome of ['answered', 'failed']) requests.at(outcome);
  for (const direction of ['staged', 'collected']) bytes.at(direction);
  return {
    families: [submitted, ended, requests, bytes],
    submitted() {
      submitted.at().value += 1;
    },
    ended(batch) {
      ended.at(batch.status).value += 1;
      requests.at('answered').value += batch.completed;
      requests.at('failed').value += batch.failed;
    },
    staged(count) {
      bytes.at('staged').value += count;
    },
    collected(count) {
      bytes.at('collected').value += count;
    },
  };
}
