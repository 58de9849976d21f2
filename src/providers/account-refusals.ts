/**
 * Refusals that are about the account behind a credential, whatever their status: no balance or quota is left, or the key is
 * none. Sources: `docs/providers/README.md#refused-keys-and-empty-accounts`.
 */
import type { FailureKind } from '../inference/attempts/failure.js';

interface Refusal {
  readonly status: number;
  /** `code`, `type`, `status` and reasons of the error. */
  readonly words: readonly string[];
  readonly message: string | undefined;
}

/** Undefined where the status alone decides. */
export function accountKind({ status, words, message = '' }: Refusal): FailureKind | undefined {
  if (status < 400 || status > 499) return undefined;
  const mayEcho = REQUEST_STATUSES.has(status);
  const text = mayEcho ? QUOTA_SENTENCE : QUOTA_TEXT;
  if (words.some((word) => QUOTA_WORDS.has(word)) || text.test(message)) return 'quota';
  if (!mayEcho) return undefined;
  return words.some((word) => KEY_WORDS.has(word)) || KEY_SENTENCE.test(message) ? 'auth' : undefined;
}

/** Messages of other refusals may repeat what the request says. */
const REQUEST_STATUSES: ReadonlySet<number> = new Set([400, 404, 413, 422]);

const QUOTA_WORDS: ReadonlySet<string> = new Set([
  'insufficient_quota',
  'credit_balance_exhausted',
  'billing_hard_limit_reached',
  'billing_not_active',
  'enforced_spend_limit_reached',
  'exceeded_current_quota_error',
  'insufficient_balance',
  'insufficient_credits',
  'insufficient_funds',
  'payment_required',
  'payment_required_error',
  'QuotaExceeded',
  'Arrearage',
  'AllocationQuota.FreeTierOnly',
  'NOT_ENOUGH_BALANCE',
  'BILLING_DISABLED',
  '1113',
]);

/** Anywhere in a message. */
const QUOTA_TEXT =
  /insufficient (?:account )?(?:balance|credits?|funds|quota)|not enough (?:balance|credits)|balance is (?:insufficient|too low|not enough)|exceeded your current quota, please check your plan and billing|used all available credits|reached its monthly spending limit|doesn't have any credits|no credits|exceeded your monthly included credits|prepayment credits are depleted|monthly spend(?:ing)? (?:limit|cap)|failure to pay|requires billing to be enabled|INVALID_PAYMENT_INSTRUMENT|out of call volume quota/i;

/** At its beginning. */
const QUOTA_SENTENCE =
  /^(?:insufficient (?:account )?(?:balance|credits?|funds|quota)|your credit balance is too low|you exceeded your current quota|your team \S+ has either used all available credits|billing hard limit|api access blocked because|access denied, please make sure your account is in good standing)/i;

const KEY_WORDS: ReadonlySet<string> = new Set(['invalid_api_key', 'API_KEY_INVALID', 'API_KEY_EXPIRED']);

const KEY_SENTENCE =
  /^(?:incorrect api key|invalid api key|api key not valid|api key expired|api key not found|the api key .{0,40}(?:invalid|expired))/i;
