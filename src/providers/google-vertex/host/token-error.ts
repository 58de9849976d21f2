import { members, textOf } from '../../../formats/json.js';
import { kindOfStatus, UpstreamFailure } from '../../../inference/ports/failure.js';
import { type ErrorResponse, errorJson } from '../../common/error-response.js';
import { retryAfterMs } from '../../common/retry-after.js';
import type { Redact } from './secrets.js';

/** The status that is recorded for a refused account: that of an invalid or revoked key. */
const INVALID_KEY = 401;

/** Statuses by which the token service refuses the account. Others are outages. */
const ACCOUNT_STATUSES: readonly number[] = [400, 401, 403];

/** The failure of a response without a token. `now` in Unix milliseconds. */
export function tokenFailure(
  { status, headers, text }: ErrorResponse,
  redact: Redact,
  now: number,
): UpstreamFailure {
  const { error, error_description } = members(errorJson(text));
  const providerMessage = textOf(error_description) ?? textOf(error);
  if (!ACCOUNT_STATUSES.includes(status)) {
    return new UpstreamFailure(`The token service answered with status ${status}`, {
      kind: kindOfStatus(status) === 'rate_limit' ? 'rate_limit' : 'upstream_error',
      status,
      retryAfterMs: retryAfterMs(headers, now),
    });
  }
  const detail = providerMessage === undefined ? `status ${status}` : redact(providerMessage);
  const culprit = culpritOf(providerMessage ?? '', headers.date, now);
  return new UpstreamFailure(`Google gives no token for ${culprit}: ${detail}`, {
    kind: 'auth',
    status: INVALID_KEY,
  });
}

const CULPRITS: readonly (readonly [RegExp, string])[] = [
  [/signature|private key/i, "the service account's private_key"],
  [/\bkid\b|key id/i, "the service account's private_key_id"],
  [/account not found|email|\biss\b|issuer/i, "the service account's client_email"],
  [/audience|\baud\b/i, "the service account's token_uri"],
];

/** The refused member of the credential, or the clock, which the operator has to correct. */
function culpritOf(providerMessage: string, date: string | undefined, now: number): string {
  if (/timeframe|\biat\b|\bexp\b|short-lived|clock/i.test(providerMessage))
    return `this gateway's clock${skew(date, now)}`;
  return CULPRITS.find(([words]) => words.test(providerMessage))?.[1] ?? 'the service account';
}

function skew(date: string | undefined, now: number): string {
  const seconds = Math.round((now - Date.parse(date ?? '')) / 1000);
  if (Number.isNaN(seconds) || seconds === 0) return '';
  return seconds > 0 ? `, which is ${seconds} s ahead` : `, which is ${-seconds} s behind`;
}
