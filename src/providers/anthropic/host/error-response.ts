/** Failures that Anthropic reports, by an error status or by an event of a stream. */
import type { JsonObject } from '../../../formats/chat/types.js';
import { isObject, members, textOf } from '../../../formats/json.js';
import { kindOfStatus, UpstreamFailure } from '../../../inference/ports/failure.js';
import { type WordedKind, wordedAs } from '../../common/account-refusals.js';
import { type ErrorResponse, errorJson, plainText } from '../../common/error-response.js';
import { filterKind } from '../../common/filter-words.js';
import { retryAfterMs } from '../../common/retry-after.js';

/**
 * The failure of a response with an error status; `now` in Unix milliseconds. `keepsBody`: a body in Anthropic's own
 * form is kept as it is.
 */
export function responseFailure(
  { status, headers, text }: ErrorResponse,
  now: number,
  keepsBody = false,
): UpstreamFailure {
  const body = errorJson(text);
  const report = readReport(body ?? plainText(text));
  const kept = keepsBody && members(body).type === 'error' ? text : null;
  return failureOf(report, status, retryAfterMs(headers, now), kept);
}

/** The failure of an `error` event. Its status follows from the error's type. */
export function reportedFailure(event: JsonObject): UpstreamFailure {
  const report = readReport(event);
  return failureOf(report, STATUS_BY_TYPE.get(report.type ?? '') ?? UNEXPLAINED_STATUS, null);
}

const STATUS_BY_TYPE: ReadonlyMap<string, number> = new Map([
  ['invalid_request_error', 400],
  ['authentication_error', 401],
  ['billing_error', 402],
  ['permission_error', 403],
  ['not_found_error', 404],
  ['conflict_error', 409],
  ['request_too_large', 413],
  ['rate_limit_error', 429],
  ['api_error', 500],
  ['timeout_error', 504],
  ['overloaded_error', 529],
]);

const UNEXPLAINED_STATUS = 500;

interface Report {
  readonly type: string | undefined;
  readonly message: string | undefined;
  /** More precise than the type. */
  readonly code: string | undefined;
}

/** Reads `{"type": "error", "error": {type, message, details}}`, and what proxies send instead. */
function readReport(value: unknown): Report {
  const outer = members(value);
  const error = isObject(outer.error) ? outer.error : outer;
  return {
    type: textOf(error.type),
    message: textOf(error.message) ?? textOf(outer.error) ?? textOf(outer.detail) ?? textOf(value),
    code: textOf(members(error.details).error_code),
  };
}

function failureOf(
  report: Report,
  status: number,
  retryAfter: number | null,
  body: string | null = null,
): UpstreamFailure {
  const message = report.message ?? `The provider answered with status ${status}`;
  return new UpstreamFailure(message, {
    ...wordedAs(kindOf(report, status), status, retryAfter),
    status,
    providerError: { type: report.type ?? null, code: report.code ?? null },
    body,
  });
}

/** Codes of exhausted limits, which are refused like rate limits. */
const SPENT_CODES: ReadonlySet<string> = new Set([
  'enforced_spend_limit_reached',
  'contract_spend_limit_reached',
]);

/** The API refuses accounts without credit with status 400, as it refuses an invalid request. Only the text differs. */
const UNPAID = /credit balance is too low|reached your specified (?:[a-z]+ ){0,4}usage limits/i;

function kindOf({ message, code }: Report, status: number): WordedKind {
  if (SPENT_CODES.has(code ?? '')) return { kind: 'quota', phrase: null };
  if (status === 400 && code === 'organization_on_hold') return { kind: 'auth', phrase: null };
  const filtered = status === 400 ? filterKind(message) : undefined;
  if (filtered !== undefined) return filtered;
  const [unpaid = null] = (status === 400 ? UNPAID.exec(message ?? '') : null) ?? [];
  return { kind: unpaid === null ? kindOfStatus(status) : 'quota', phrase: unpaid };
}
