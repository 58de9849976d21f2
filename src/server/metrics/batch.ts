/** Metrics of batches. No label identifies a customer. */
import { counter, type Family } from './families.js';

const ENDS = ['completed', 'failed', 'cancelled'] as const;

export interface BatchMetrics {
  readonly families: readonly Family[];
  /** A batch was accepted. */
  submitted(): void;
  /** A batch has ended and is metered: so many requests were answered, so many failed. */
  ended(batch: { readonly status: string; readonly completed: number; readonly failed: number }): void;
  /** Bytes of requests were written to the bucket. */
  staged(bytes: number): void;
  /** Bytes of results were read from it, to be metered or to be passed on. */
  collected(bytes: number): void;
}

export function createBatchMeter(): BatchMetrics {
  const submitted = counter('byway_batches_submitted_total', 'Batches that were submitted.');
  const ended = counter('byway_batches_ended_total', 'Batches that have ended, by how.', 'status');
  const requests = counter(
    'byway_batch_requests_total',
    'Requests of batches that have ended, by what became of them.',
    'outcome',
  );
  const bytes = counter(
    'byway_batch_bytes_total',
    'Bytes of requests staged in buckets, and of results collected from them, as often as they are.',
    'direction',
  );
  // So that they are exposed as 0 from the start.
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
