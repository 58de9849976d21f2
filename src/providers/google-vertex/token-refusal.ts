import { kindOfStatus, UpstreamFailure } from '../../inference/attempts/failure.js';
import { members, parseJson, textOf } from '../http/json.js';
import { retryAfterMs } from '../http/retry-after.js';
import type { Refusal } from '../openai/refusal.js';
import type { Redact } from './secrets.js';

/** What a refused account counts as in a generation's provider responses: a key that is invalid or revoked (spec section 7). */
const INVALID_KEY = 401;

/** Answers with which an account is refused, rather than the request for its token. */
const ACCOUNT_STATUSES: readonly number[] = [400, 401, 403];

/** The failure that an answer other than a token is. `now` in Unix milliseconds. */
export function tokenRefused(
  { status, headers, text }: Refusal,
  redact: Redact,
  now: number,
): UpstreamFailure {
  const { error, error_description } = members(parseJson(text));
  const providerMessage = textOf(error_description) ?? textOf(error);
  if (!ACCOUNT_STATUSES.includes(status)) {
    return new UpstreamFailure(`The token service answered with status ${status}`, {
      kind: kindOfStatus(status) === 'rate_limit' ? 'rate_limit' : 'upstream_error',
      status,
      retryAfterMs: retryAfterMs(headers, now),
    });
  }
  const told = providerMessage === undefined ? `status ${status}` : redact(providerMessage);
  const culprit = culpritOf(providerMessage ?? '', headers.date, now);
  return new UpstreamFailure(`Google gives no token for ${culprit}: ${told}`, {
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

/** The member of the credential that a refusal is about; or the clock, which is the operator's to set right. */
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
