/** The Problems of requests that no attempt, or no other attempt, can serve. */
import { type Metadata, Problem, SHUTDOWN_RETRY_AFTER_S } from '../../base/problem.js';
import type { Reason } from '../../base/reasons.js';
import type { Format } from '../../catalog/types.js';
import {
  type ContextOverflow,
  contextLengthExceeded,
  mildestOverflow,
} from '../../formats/context-overflow.js';
import { type FailureKind, isDatabaseAway, isUnsent, type UpstreamFailure } from '../ports/failure.js';
import type { ProviderResponse } from '../ports/generation.js';
import { isAccountRefused } from './told-failure.js';

/** The attempts that a Problem lists in its metadata. */
export interface AttemptHistory {
  readonly generationId: string;
  readonly responses: readonly ProviderResponse[];
  /** Whether a request that the last attempt refuses as invalid counts as invalid, whatever the other attempts said. */
  readonly lastDecides?: boolean;
  /** Whether no other model may serve the request. */
  readonly wantsOneModel?: boolean;
  /** By how much providers have found the request too long, where any has. */
  readonly overflows?: readonly ContextOverflow[];
}

/** By format: whether a request that the last attempt refuses counts as invalid, whatever the others said. */
export const LAST_DECIDES: Readonly<Record<Format, boolean>> = {
  chat: false,
  messages: true,
  responses: true,
  completions: false,
  embeddings: false,
  rerank: false,
};

/** Failures that end the plan even if attempts are left, with the reason of the Problem. */
const FINAL: { readonly [kind in FailureKind]?: Reason } = {
  cancelled: 'client_closed',
  shut_down: 'shutting_down',
  content_filter: 'content_filter',
};

/**
 * Whether the failure ends the plan even if attempts are left: a content filter, a client that left, or the gateway
 * stopping.
 */
export function isFinal({ kind }: UpstreamFailure): boolean {
  return FINAL[kind] !== undefined;
}

/** The Problem for a final failure: `client_closed`, `shutting_down` or `content_filter`. */
export function finalProblem(failure: UpstreamFailure, history: AttemptHistory): Problem {
  const reason = FINAL[failure.kind] ?? 'upstream_failed';
  return new Problem(reason, failure.message, {
    metadata: metadataOf(history, failure),
    cause: failure,
    ...(reason === 'shutting_down' && { retryAfterSeconds: SHUTDOWN_RETRY_AFTER_S }),
  });
}

/**
 * The Problem for a failure that no other attempt can make up for, such as a stream that broke off after its content
 * was sent.
 */
export function brokenBy(failure: UpstreamFailure, history: AttemptHistory): Problem {
  if (failure.kind === 'shut_down') return finalProblem(failure, history);
  const metadata = metadataOf(history, failure);
  return new Problem(reasonOf(failure), failure.message, { metadata, cause: failure });
}

function reasonOf(failure: UpstreamFailure): Reason {
  if (!isAccountRefused(failure)) return 'upstream_failed';
  return failure.kind === 'quota' ? 'upstream_quota_exhausted' : 'upstream_credential_refused';
}

/**
 * The Problem for a request all of whose attempts failed. `failures` are those that the caller may see. The first that
 * applies:
 *
 * - 400 with the last provider's message if it refused the request as invalid and `lastDecides`.
 * - 503 if the database was unavailable for all attempts.
 * - 429 if an attempt was not made because too much of the account is in flight.
 * - 502 about the account if all were refused because of their accounts; about the caller's own if there is one.
 * - 429 with the smallest Retry-After if all were rate limited, ignoring accounts without quota.
 * - 400 with the first provider's message if all refused the request as invalid.
 * - 502.
 */
export function allAttemptsFailed(failures: readonly UpstreamFailure[], history: AttemptHistory): Problem {
  const cause = failures.at(-1);
  const metadata = metadataOf(history, cause);
  const isInvalid =
    areAll(failures, 'invalid_request') || (history.lastDecides && cause?.kind === 'invalid_request');
  const overflow = mildestOverflow(history.overflows ?? []);
  if (overflow !== undefined && isInvalid) {
    // Its clients look for words of their own API, not for the provider's.
    const { provider_answer, ...told } = metadata;
    return contextLengthExceeded(overflow, { metadata: told, cause });
  }
  if (history.lastDecides && cause?.kind === 'invalid_request') {
    return new Problem('upstream_invalid_request', cause.message, { metadata, cause });
  }
  const away = failures.map(({ cause: reason }) => reason).filter(isDatabaseAway);
  if (away[0] !== undefined && away.length === failures.length) return away[0];
  const unsent = failures.filter(isUnsent);
  if (unsent.length > 0) return unsentProblem(unsent, metadata);
  const refused = failures.find(({ told }) => told.byok_key !== undefined) ?? failures[0];
  if (refused !== undefined && failures.every(isAccountRefused)) return brokenBy(refused, history);
  if (failures.some(isRateLimited) && failures.every(isLimited)) {
    const wait = smallestRetryAfter(failures);
    const when = wait.retryAfterSeconds === undefined ? 'later' : `in ${wait.retryAfterSeconds} s`;
    const message = `Every provider that could serve this request is rate limiting it: send it again ${when}${orElse(history)}`;
    return new Problem('upstream_rate_limited', message, {
      metadata,
      cause,
      ...wait,
    });
  }
  if (areAll(failures, 'invalid_request')) {
    const [first] = failures;
    const message = first?.message ?? '';
    return new Problem('upstream_invalid_request', message, {
      metadata: metadataOf(history, first),
      cause,
    });
  }
  const detail = cause === undefined ? 'no time was left for an attempt' : cause.message;
  return new Problem('upstream_failed', `No provider could serve this request: ${detail}`, {
    metadata,
    cause,
  });
}

/** 429: too much of the account is in flight. Each answer that ends gives its place to the next request. */
export function unsentProblem(unsent: readonly UpstreamFailure[], metadata: Metadata = {}): Problem {
  const message =
    'Too many requests of this account are in flight at the provider: send again when some have ended';
  return new Problem('rate_limited', message, {
    metadata,
    cause: unsent.at(-1),
    ...smallestRetryAfter(unsent),
  });
}

/** No attempt is made: every provider asked to wait. `waitMs` is the shortest wait. */
export function allResting(waitMs: number, history: AttemptHistory): Problem {
  const retryAfterSeconds = Math.ceil(waitMs / 1000);
  const message = `Every provider that could serve this request is rate limiting it, and has asked to wait: send it again in ${retryAfterSeconds} s${orElse(history)}`;
  return new Problem('upstream_rate_limited', message, { metadata: metadataOf(history), retryAfterSeconds });
}

function orElse({ wantsOneModel }: AttemptHistory): string {
  return wantsOneModel ? '' : ', or name further models to fall back to';
}

/** Includes the provider's own words for the failure that the message is about. */
function metadataOf({ generationId, responses }: AttemptHistory, failure?: UpstreamFailure): Metadata {
  const provider_error = failure?.providerError ?? null;
  const provider_answer = failure === undefined ? null : refusalOf(failure);
  return {
    generation_id: generationId,
    provider_responses: [...responses],
    ...(provider_error !== null && { provider_error }),
    ...(provider_answer !== null && { provider_answer }),
    ...failure?.told,
  };
}

/** Statuses of refusals of the request itself, whose words clients act on. */
const REFUSALS: readonly (number | null)[] = [400, 413, 422];

function refusalOf({ kind, status, body }: UpstreamFailure): Metadata | null {
  return body !== null && kind === 'invalid_request' && REFUSALS.includes(status) ? { status, body } : null;
}

function isRateLimited({ kind }: UpstreamFailure): boolean {
  return kind === 'rate_limit';
}

function isLimited({ kind }: UpstreamFailure): boolean {
  return kind === 'rate_limit' || kind === 'quota';
}

function areAll(failures: readonly UpstreamFailure[], kind: UpstreamFailure['kind']): boolean {
  return failures.length > 0 && failures.every((failure) => failure.kind === kind);
}

function smallestRetryAfter(failures: readonly UpstreamFailure[]): { retryAfterSeconds?: number } {
  const waits = failures.flatMap(({ retryAfterMs }) => (retryAfterMs === null ? [] : [retryAfterMs]));
  return waits.length === 0 ? {} : { retryAfterSeconds: Math.ceil(Math.min(...waits) / 1000) };
}
