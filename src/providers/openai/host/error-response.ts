/** Failures that a provider reports, by an error status or inside a successful response. */

import { kindOfStatus, UpstreamFailure } from '../../../inference/ports/failure.js';
import { accountKind, type WordedKind, wordedAs } from '../../common/account-refusals.js';
import { type ErrorResponse, errorJson, plainText } from '../../common/error-response.js';
import { filterKind } from '../../common/filter-words.js';
import { retryAfterMs } from '../../common/retry-after.js';
import { type ErrorReport, readReport } from './error-report.js';

/** The failure of a response with an error status; `now` in Unix milliseconds. */
export function responseFailure({ status, headers, text }: ErrorResponse, now: number): UpstreamFailure {
  const report = readReport(errorJson(text) ?? plainText(text));
  return failureOf(report, status, retryAfterMs(headers, now));
}

/**
 * The failure of an `error` inside a successful response. Its status is the one that it names, else that of its type.
 */
export function reportedFailure(error: unknown): UpstreamFailure {
  const report = readReport({ error });
  return failureOf(report, report.status ?? statusOfWords(report.words), null);
}

function failureOf(report: ErrorReport, status: number, retryAfter: number | null): UpstreamFailure {
  const message = report.message ?? `The provider answered with status ${status}`;
  return new UpstreamFailure(message, {
    ...wordedAs(kindOfReport(report, status), status, retryAfter),
    status,
    providerError: report.providerError,
  });
}

const FILTER_WORDS: ReadonlySet<string> = new Set([
  'content_filter',
  'ResponsibleAIPolicyViolation',
  'content_policy_violation',
]);

/** The model wrote no valid call, or no valid JSON: the same request may be answered next time, or by another provider. */
const MODEL_WORDS: ReadonlySet<string> = new Set([
  'tool_use_failed',
  'json_validate_failed',
  'output_parse_failed',
]);

export function kindOfReport(
  { words, message, isPassing }: Pick<ErrorReport, 'words' | 'message' | 'isPassing'>,
  status: number,
): WordedKind {
  if (words.some((word) => FILTER_WORDS.has(word))) return { kind: 'content_filter', phrase: null };
  if (words.some((word) => MODEL_WORDS.has(word))) return { kind: 'upstream_error', phrase: null };
  const told = isPassing ? undefined : accountKind({ status, words, message });
  const filtered = status === 400 ? filterKind(message) : undefined;
  return told ?? filtered ?? { kind: kindOfStatus(status), phrase: null };
}

/** Statuses of errors that do not name one. */
const STATUS_BY_WORD: ReadonlyMap<string, number> = new Map([
  ['rate_limit_exceeded', 429],
  ['rate_limit_error', 429],
  ['rate_limited', 429],
  ['RESOURCE_EXHAUSTED', 429],
  ['insufficient_quota', 429],
  ['content_filter', 400],
  ['context_length_exceeded', 400],
  ['invalid_request_error', 400],
  ['invalid_api_key', 401],
  ['authentication_error', 401],
  ['model_not_found', 404],
  ['server_is_overloaded', 503],
  ['slow_down', 503],
  ['overloaded_error', 529],
]);

const UNEXPLAINED_STATUS = 500;

function statusOfWords(words: readonly string[]): number {
  for (const word of words) {
    const status = STATUS_BY_WORD.get(word);
    if (status !== undefined) return status;
  }
  return UNEXPLAINED_STATUS;
}
