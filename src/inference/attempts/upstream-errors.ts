/** What the caller is told when no attempt served (interface section 6). */
import { type Metadata, Problem } from '../../base/problem.js';
import type { ProviderResponse } from '../settlement/generation.js';
import type { UpstreamFailure } from './failure.js';

/** What was tried, and the record that tells of it. */
export interface Tried {
  readonly generationId: string;
  readonly responses: readonly ProviderResponse[];
}

/**
 * 429 with the smallest Retry-After when all attempts were rate limits; 400 with the first provider's message when all
 * refused the request as invalid; else 502. The metadata lists every attempt and names the generation record.
 */
export function allAttemptsFailed(failures: readonly UpstreamFailure[], tried: Tried): Problem {
  const metadata = attemptsMetadata(tried);
  const cause = failures.at(-1);
  if (areAll(failures, 'rate_limit')) {
    const message = 'Every provider that could serve this request is rate limiting it';
    return new Problem('upstream_rate_limited', message, {
      metadata,
      cause,
      ...smallestRetryAfter(failures),
    });
  }
  if (areAll(failures, 'invalid_request')) {
    const message = failures[0]?.message ?? '';
    return new Problem('upstream_invalid_request', message, { metadata, cause });
  }
  const last = cause === undefined ? 'no time was left for an attempt' : cause.message;
  return new Problem('upstream_failed', `No provider could serve this request: ${last}`, { metadata, cause });
}

/** A refusal that ends the plan whatever attempts are left, or the end of a client that went away. */
export function finalProblem(failure: UpstreamFailure, tried: Tried): Problem {
  const reason = failure.kind === 'cancelled' ? 'client_closed' : 'content_filter';
  return new Problem(reason, failure.message, { metadata: attemptsMetadata(tried), cause: failure });
}

/** A stream that broke after content was sent: nothing else can serve it any more. */
export function brokenStream(failure: UpstreamFailure, tried: Tried): Problem {
  return new Problem('upstream_failed', failure.message, {
    metadata: attemptsMetadata(tried),
    cause: failure,
  });
}

function attemptsMetadata({ generationId, responses }: Tried): Metadata {
  return { generation_id: generationId, provider_responses: [...responses] };
}

function areAll(failures: readonly UpstreamFailure[], kind: UpstreamFailure['kind']): boolean {
  return failures.length > 0 && failures.every((failure) => failure.kind === kind);
}

function smallestRetryAfter(failures: readonly UpstreamFailure[]): { retryAfterSeconds?: number } {
  const waits = failures.flatMap(({ retryAfterMs }) => (retryAfterMs === null ? [] : [retryAfterMs]));
  return waits.length === 0 ? {} : { retryAfterSeconds: Math.ceil(Math.min(...waits) / 1000) };
}
