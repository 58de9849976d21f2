/** Failures that Google reports, by an error status or inside a successful response. */
import type { JsonObject } from '../../../formats/chat/types.js';
import { elements, members, textOf } from '../../../formats/json.js';
import { type ProviderError, UpstreamFailure } from '../../../inference/ports/failure.js';
import { wordedAs } from '../../common/account-refusals.js';
import { type ErrorResponse, errorJson } from '../../common/error-response.js';
import { retryAfterMs } from '../../common/retry-after.js';
import { type ErrorReport, readReport } from '../../openai/host/error-report.js';
import { kindOfReport } from '../../openai/host/error-response.js';
import { type Redact, redactBody } from './secrets.js';

/**
 * The failure of a response with an error status; `now` in Unix milliseconds. `keepsBody`: a body in Anthropic's own
 * form is kept as it is.
 */
export function responseFailure(
  { status, headers, text }: ErrorResponse,
  redact: Redact,
  now: number,
  keepsBody = false,
): UpstreamFailure {
  const answer = errorJson(text);
  const wait = retryAfterMs(headers, now) ?? retryDelayMs(answer);
  const body = keepsBody && members(answer).type === 'error' ? redactBody(text, answer, redact) : null;
  return failureOf(readReport(answer), status, wait, redact, body);
}

/** The failure of an error inside a successful response. Its status is the one that it names, else that of its type. */
export function reportedFailure(answer: JsonObject, redact: Redact): UpstreamFailure {
  const report = readReport(answer);
  return failureOf(report, report.status ?? statusOfWords(report.words), retryDelayMs(answer), redact);
}

function failureOf(
  report: ErrorReport,
  status: number,
  wait: number | null,
  redact: Redact,
  body: string | null = null,
): UpstreamFailure {
  const providerMessage = report.message ?? `The provider answered with status ${status}`;
  return new UpstreamFailure(redact(providerMessage), {
    ...wordedAs(kindOfReport(report, status), status, wait),
    status,
    providerError: redactedWords(report.providerError, redact),
    body,
  });
}

function redactedWords({ code, type, param }: ProviderError, redact: Redact): ProviderError {
  const word = (text: string | null) => (text === null ? null : redact(text));
  return { code: word(code), type: word(type), param: word(param) };
}

/** Google's errors name their status. Those of partners' models have only a type. */
const STATUS_BY_WORD: ReadonlyMap<string, number> = new Map([
  ['invalid_request_error', 400],
  ['authentication_error', 401],
  ['permission_error', 403],
  ['not_found_error', 404],
  ['request_too_large', 413],
  ['rate_limit_error', 429],
  ['overloaded_error', 529],
]);

const UNEXPLAINED_STATUS = 500;

function statusOfWords(words: readonly string[]): number {
  const known = words.map((word) => STATUS_BY_WORD.get(word)).find((status) => status !== undefined);
  return known ?? UNEXPLAINED_STATUS;
}

/** The delay in `google.rpc.RetryInfo`, which most rate limits do not have. */
function retryDelayMs(answer: unknown): number | null {
  const { error } = members(Array.isArray(answer) ? answer[0] : answer);
  for (const { retryDelay } of elements(members(error).details).map(members)) {
    const seconds = /^(\d+(?:\.\d+)?)s$/.exec(textOf(retryDelay) ?? '')?.[1];
    if (seconds !== undefined) return Math.ceil(Number(seconds) * 1000);
  }
  return null;
}
