/**
 * Recognises refusals about the account of a credential, whatever their status: no balance or quota is left, or the key
 * is invalid. Sources: `docs/providers/README.md#refused-keys-and-empty-accounts`.
 */
import { type FailureKind, kindOfStatus, type Wording } from '../../inference/ports/failure.js';

interface Refusal {
  readonly status: number;
  /** `code`, `type`, `status` and reasons of the error. */
  readonly words: readonly string[];
  readonly message: string | undefined;
}

/** A kind, and the phrase of the message if the kind follows from nothing else; else null. */
export interface WordedKind {
  readonly kind: FailureKind;
  readonly phrase: string | null;
}

/**
 * undefined if the status alone decides. Code and type take precedence over the status, and the status over the
 * message.
 */
export function accountKind({ status, words, message = '' }: Refusal): WordedKind | undefined {
  if (status >= 500) return emptyBehindFailure(message);
  if (status < 400 || isAlibabasRateLimit(status, message)) return undefined;
  const isOfRequest = REQUEST_STATUSES.has(status);
  if (words.some((word) => QUOTA_WORDS.has(word))) return { kind: 'quota', phrase: null };
  if (isOfRequest && words.some((word) => KEY_WORDS.has(word))) return { kind: 'auth', phrase: null };
  if (kindOfStatus(status) === 'quota') return undefined;
  const [quota] = (isOfRequest ? QUOTA_SENTENCE : QUOTA_TEXT).exec(message) ?? [];
  if (quota !== undefined) return { kind: 'quota', phrase: quota };
  const [key] = (isOfRequest ? KEY_SENTENCE.exec(message) : null) ?? [];
  return key === undefined ? undefined : { kind: 'auth', phrase: key };
}

/** MiniMax says that it failed itself where an account is empty. */
function emptyBehindFailure(message: string): WordedKind | undefined {
  const [phrase] = /^insufficient balance/i.exec(message) ?? [];
  return phrase === undefined ? undefined : { kind: 'quota', phrase };
}

/**
 * The members of a failure, marked if its kind follows only from the phrase. Waiting does not help an exhausted quota.
 */
export function wordedAs({ kind, phrase }: WordedKind, status: number, retryAfterMs: number | null) {
  const otherwise = { kind: kindOfStatus(status), retryAfterMs };
  const wording: Wording | null = phrase === null ? null : { phrase, otherwise };
  return { kind, wording, retryAfterMs: kind === 'quota' ? null : retryAfterMs };
}

/**
 * Alibaba reports its limits per minute with the code, type and sentence that OpenAI uses for an empty account. The
 * link to its help distinguishes them. For accounts in arrears Alibaba uses other statuses.
 */
function isAlibabasRateLimit(status: number, message: string): boolean {
  return status === 429 && /\b(?:aliyun|alibabacloud)\.com\//.test(message);
}

/** Statuses whose messages are checked. Messages with others are seldom about the request. */
const REQUEST_STATUSES: ReadonlySet<number> = new Set([400, 404, 413, 422]);

const QUOTA_WORDS: ReadonlySet<string> = new Set([
  'insufficient_quota',
  'credit_balance_exhausted',
  'billing_hard_limit_reached',
  'billing_not_active',
  'enforced_spend_limit_reached',
  'exceeded_current_quota_error',
  'insufficient_balance',
  'insufficient_balance_error',
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
  'base_resp.1008',
]);

/** Matches anywhere in a message. */
const QUOTA_TEXT =
  /insufficient (?:account )?(?:balance|credits?|funds|quota)|not enough (?:balance|credits)|balance is (?:insufficient|too low|not enough)|exceeded your current quota, please check your plan and billing|used all available credits|reached its monthly spending limit|doesn't have any credits|no credits|exceeded your monthly included credits|prepayment credits are depleted|monthly spend(?:ing)? (?:limit|cap)|failure to pay|requires billing to be enabled|INVALID_PAYMENT_INSTRUMENT|out of call volume quota|key limit exceeded/i;

/** Matches at the beginning of a message. */
const QUOTA_SENTENCE =
  /^(?:insufficient (?:account )?(?:balance|credits?|funds|quota)|your credit balance is too low|you exceeded your current quota|your team \S+ has either used all available credits|billing hard limit|api access blocked because|access denied, please make sure your account is in good standing)/i;

const KEY_WORDS: ReadonlySet<string> = new Set(['invalid_api_key', 'API_KEY_INVALID', 'API_KEY_EXPIRED']);

const KEY_SENTENCE =
  /^(?:incorrect api key|invalid api key|api key not valid|api key expired|api key not found|the api key .{0,40}(?:invalid|expired))/i;
