/** Failures that a provider reports, by an error status or inside a successful response. */
import { isObject, members } from '../../../formats/json.js';
import { kindOfStatus, UpstreamFailure } from '../../../inference/ports/failure.js';
import { accountKind, type WordedKind, wordedAs } from '../../common/account-refusals.js';
import { type ErrorResponse, errorJson, plainText } from '../../common/error-response.js';
import { filterKind } from '../../common/filter-words.js';
import { retryAfterMs } from '../../common/retry-after.js';
import { type ErrorReport, readReport } from './error-report.js';
import { contractPhraseIn } from './learned-contract.js';

/**
 * The failure of a response with an error status; `now` in Unix milliseconds. `keepsBody`: a body in OpenAI's own form is kept
 * as it is.
 */
export function responseFailure(
  { status, headers, text }: ErrorResponse,
  now: number,
  keepsBody = false,
): UpstreamFailure {
  const body = errorJson(text);
  const report = readReport(body ?? plainText(text));
  const kept = keepsBody && isObject(members(body).error) ? text : null;
  return failureOf(report, status, retryAfterMs(headers, now), kept);
}

/**
 * The failure of an `error` inside a successful response. Its status is the one that it names, else that of its type.
 */
export function reportedFailure(error: unknown): UpstreamFailure {
  const report = readReport({ error });
  return failureOf(report, report.status ?? statusOfWords(report.words), null);
}

function failureOf(
  report: ErrorReport,
  status: number,
  retryAfter: number | null,
  body: string | null = null,
): UpstreamFailure {
  const message = report.message ?? `The provider answered with status ${status}`;
  return new UpstreamFailure(message, {
    ...wordedAs(kindOfReport(report, status), status, retryAfter),
    status,
    providerError: report.providerError,
    body,
  });
}

/** Sources: `docs/providers/README.md#refused-content`. */
const FILTER_WORDS: ReadonlySet<string> = new Set([
  'content_filter',
  'ResponsibleAIPolicyViolation',
  'content_policy_violation',
  'data_inspection_failed',
  'DataInspectionFailed',
  '1301',
  'sensitive_words_detected',
  'base_resp.1026',
  'base_resp.1027',
]);

/** Sentences of hosts that have no word for it. */
const FILTER_TEXT =
  /^content exists risk|content violates usage guidelines|DataInspectionFailed|your input was flagged/i;

/** A server could not render the conversation by its model's template, or read its media, although it says that it failed itself. */
const UNREADABLE =
  /jinja exception|error rendering prompt with jinja template|chat template error|(?:image|audio|video) input is not supported/i;

/** llama.cpp embeds no text that is longer than a batch of its own, and says that it failed: https://github.com/containers/ramalama/pull/2852 (2026-11-26). */
const BEYOND_BATCH = /input (?:\(\d{1,12} tokens\) )?is too large to process/i;

/** The model wrote no valid call, or no valid JSON: the same request may be answered next time, or by another provider. */
const MODEL_WORDS: ReadonlySet<string> = new Set([
  'tool_use_failed',
  'json_validate_failed',
  'output_parse_failed',
]);

/** Groq says so where its word for it got lost on the way. */
const MODEL_TEXT = /see 'failed_generation' for more details/i;

export function kindOfReport(
  { words, message, isPassing }: Pick<ErrorReport, 'words' | 'message' | 'isPassing'>,
  status: number,
): WordedKind {
  if (words.some((word) => FILTER_WORDS.has(word))) return { kind: 'content_filter', phrase: null };
  if (words.some((word) => MODEL_WORDS.has(word))) return { kind: 'upstream_error', phrase: null };
  const said = kindOfMessage(message ?? '', status);
  if (said !== undefined) return said;
  const told = isPassing ? undefined : accountKind({ status, words, message });
  const filtered = status === 400 ? filterKind(message) : undefined;
  return told ?? filtered ?? { kind: kindOfStatus(status), phrase: null };
}

/** The request has more tokens than the account may send in a minute: no waiting lets it pass. */
const BEYOND_MINUTE = /request too large for .{1,300}: limit (\d{1,12}), requested (\d{1,12})/i;

/**
 * What the words alone say: a filter that refused the content, a request that is too long for the account, or a conversation
 * that a server of one's own can't take.
 */
function kindOfMessage(message: string, status: number): WordedKind | undefined {
  const [filtered] = FILTER_TEXT.exec(message) ?? [];
  if (filtered !== undefined) return { kind: 'content_filter', phrase: filtered };
  const [miswritten] = MODEL_TEXT.exec(message) ?? [];
  if (miswritten !== undefined) return { kind: 'upstream_error', phrase: miswritten };
  const [beyond, limit, requested] = BEYOND_MINUTE.exec(message) ?? [];
  if (beyond !== undefined && Number(requested) > Number(limit))
    return { kind: 'invalid_request', phrase: beyond };
  if (status < 500) return undefined;
  const phrase =
    contractPhraseIn(message) ?? UNREADABLE.exec(message)?.[0] ?? BEYOND_BATCH.exec(message)?.[0];
  return phrase === undefined ? undefined : { kind: 'invalid_request', phrase };
}

/** Statuses of errors that do not name one. */
const STATUS_BY_WORD: ReadonlyMap<string, number> = new Map([
  ['rate_limit_exceeded', 429],
  ['rate_limit_error', 429],
  ['rate_limited', 429],
  ['RESOURCE_EXHAUSTED', 429],
  ['insufficient_quota', 429],
  ['InvalidParameter', 400],
  ['invalid_parameter_error', 400],
  ['data_inspection_failed', 400],
  ['DataInspectionFailed', 400],
  ['Throttling', 429],
  ['Throttling.RateQuota', 429],
  ['Throttling.AllocationQuota', 429],
  ['base_resp.1002', 429],
  ['base_resp.1004', 401],
  ['base_resp.2049', 401],
  ['base_resp.1008', 402],
  ['base_resp.2013', 400],
  ['content_filter', 400],
  ['context_length_exceeded', 400],
  ['invalid_request_error', 400],
  ['invalid_prompt', 400],
  ['invalid_encrypted_content', 400],
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
