/** The failures that Google reports: with an error status, or inside an answer that had begun well. */
import type { JsonObject } from '../../formats/chat/types.js';
import { UpstreamFailure } from '../../inference/attempts/failure.js';
import { elements, members, parseJson, textOf } from '../http/json.js';
import { retryAfterMs } from '../http/retry-after.js';
import { kindOfReport, type Refusal } from '../openai/refusal.js';
import { type ErrorReport, readReport } from '../openai/report.js';
import type { Redact } from './secrets.js';

/** The failure that an answer with an error status is; `now` in Unix milliseconds. */
export function refused({ status, headers, text }: Refusal, redact: Redact, now: number): UpstreamFailure {
  const answer = parseJson(text);
  const wait = retryAfterMs(headers, now) ?? retryDelayMs(answer);
  return failureOf(readReport(answer), status, wait, redact);
}

/** The failure that an error inside a successful answer is; its status is what it says itself, or means. */
export function reported(answer: JsonObject, redact: Redact): UpstreamFailure {
  const report = readReport(answer);
  return failureOf(report, report.status ?? statusOfWords(report.words), retryDelayMs(answer), redact);
}

function failureOf(
  report: ErrorReport,
  status: number,
  wait: number | null,
  redact: Redact,
): UpstreamFailure {
  const providerMessage = report.message ?? `The provider answered with status ${status}`;
  return new UpstreamFailure(redact(providerMessage), {
    kind: kindOfReport(report, status),
    status,
    retryAfterMs: wait,
  });
}

/** Google's errors name their status; those of its partners' models have words only. */
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

/** How long `google.rpc.RetryInfo` asks to wait; most limits come without it. */
function retryDelayMs(answer: unknown): number | null {
  const { error } = members(Array.isArray(answer) ? answer[0] : answer);
  for (const { retryDelay } of elements(members(error).details).map(members)) {
    const seconds = /^(\d+(?:\.\d+)?)s$/.exec(textOf(retryDelay) ?? '')?.[1];
    if (seconds !== undefined) return Math.ceil(Number(seconds) * 1000);
  }
  return null;
}
