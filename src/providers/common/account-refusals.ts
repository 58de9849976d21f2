/**
 * Refusals that are about the account behind a credential, whatever their status: no balance or quota is left, or the key is
 * none. Sources: `docs/providers/README.md#refused-keys-and-empty-accounts`.
 */
import { type FailureKind, kindOfStatus, type Wording } from '../../inference/ports/failure.js';

interface Refusal {
  readonly status: number;
  /** `code`, `type`, `status` and reasons of the error. */
  readonly words: readonly string[];
  readonly message: string | undefined;
}

/** A kind, and the phrase of the message that alone makes it; null where anything else does. */
export interface ToldKind {
  readonly kind: FailureKind;
  readonly phrase: string | null;
}

/** Undefined where the status alone decides, which goes before the words of the message, as code and type do. */
export function accountKind({ status, words, message = '' }: Refusal): ToldKind | undefined {
  if (status < 400 || status > 499 || isAlibabasRateLimit(status, message)) return undefined;
  const isOfRequest = REQUEST_STATUSES.has(status);
  if (words.some((word) => QUOTA_WORDS.has(word))) return { kind: 'quota', phrase: null };
  if (isOfRequest && words.some((word) => KEY_WORDS.has(word))) return { kind: 'auth', phrase: null };
  if (kindOfStatus(status) === 'quota') return undefined;
  const [quota] = (isOfRequest ? QUOTA_SENTENCE : QUOTA_TEXT).exec(message) ?? [];
  if (quota !== undefined) return { kind: 'quota', phrase: quota };
  const [key] = (isOfRequest ? KEY_SENTENCE.exec(message) : null) ?? [];
  return key === undefined ? undefined : { kind: 'auth', phrase: key };
}

/** The members of a failure whose kind the phrase makes, if any does; no waiting mends an exhausted quota. */
export function toldAs({ kind, phrase }: ToldKind, status: number, retryAfterMs: number | null) {
  const otherwise = { kind: kindOfStatus(status), retryAfterMs };
  const wording: Wording | null = phrase === null ? null : { phrase, otherwise };
  return { kind, wording, retryAfterMs: kind === 'quota' ? null : retryAfterMs };
}

/**
 * Alibaba says of its limits by the minute what OpenAI says of an empty account, in code, type and sentence; the link to its
 * help tells them apart. Of accounts in arrears it says so with other statuses.
 */
function isAlibabasRateLimit(status: number, message: string): boolean {
  return status === 429 && /\b(?:aliyun|alibabacloud)\.com\//.test(message);
}

/** Messages of other refusals are seldom about the request. */
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
