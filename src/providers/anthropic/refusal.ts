/** The failures that Anthropic reports: with an error status, or as an event of a stream that had begun well. */
import type { IncomingHttpHeaders } from 'node:http';
import type { JsonObject } from '../../formats/chat/types.js';
import { type FailureKind, kindOfStatus, UpstreamFailure } from '../../inference/attempts/failure.js';
import { isObject, members, parseJson, textOf } from '../http/json.js';
import { retryAfterMs } from '../http/retry-after.js';

/** An answer with an error status. */
export interface Refusal {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** The failure that an answer with an error status is; `now` in Unix milliseconds. */
export function refused({ status, headers, text }: Refusal, now: number): UpstreamFailure {
  const report = readReport(parseJson(text) ?? plainText(text));
  return failureOf(report, status, retryAfterMs(headers, now));
}

/** The failure that an event of type `error` is, from its whole data: its status is what its type means. */
export function reported(event: JsonObject): UpstreamFailure {
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

/** What a report says; undefined where it says nothing. */
interface Report {
  readonly type: string | undefined;
  readonly message: string | undefined;
  /** The more precise word beside the type. */
  readonly code: string | undefined;
}

/** Reads `{"type": "error", "error": {type, message, details}}`, and what proxies on the way say instead. */
function readReport(value: unknown): Report {
  const outer = members(value);
  const error = isObject(outer.error) ? outer.error : outer;
  return {
    type: textOf(error.type),
    message: textOf(error.message) ?? textOf(outer.error) ?? textOf(outer.detail) ?? textOf(value),
    code: textOf(members(error.details).error_code),
  };
}

/** A body that is no JSON: words of a proxy on the way, or a page that is for browsers. */
function plainText(text: string): string | undefined {
  const trimmed = text.trim();
  return /^[<{[]/.test(trimmed) ? undefined : trimmed;
}

function failureOf(report: Report, status: number, retryAfter: number | null): UpstreamFailure {
  const message = report.message ?? `The provider answered with status ${status}`;
  return new UpstreamFailure(message, {
    kind: kindOf(report, status),
    status,
    retryAfterMs: SPENT_CODES.has(report.code ?? '') ? null : retryAfter,
  });
}

/** A limit that is used up is a rate limit, but no wait that the provider names mends it. */
const SPENT_CODES: ReadonlySet<string> = new Set([
  'enforced_spend_limit_reached',
  'contract_spend_limit_reached',
]);

/** The API refuses an account that can't or may not pay as if the request were at fault; only the words differ. */
const UNPAID = /credit balance is too low|reached your specified (?:[a-z]+ ){0,4}usage limits/i;

function kindOf({ message, code }: Report, status: number): FailureKind {
  const isAboutAccount = UNPAID.test(message ?? '') || code === 'organization_on_hold';
  return status === 400 && isAboutAccount ? 'auth' : kindOfStatus(status);
}
