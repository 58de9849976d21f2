import { Problem } from '../base/problem.js';

/**
 * `denied`: the account at the provider lacks a permission; `refused`: the provider rejects the request; `missing`: the
 * object does not exist; `conflict`: it exists already; `not_provisioned`: the provider's own service agents are still
 * being created; `rate_limited`; `unavailable`: the provider or the network failed.
 */
export type JobCallFailureKind =
  | 'denied'
  | 'refused'
  | 'missing'
  | 'conflict'
  | 'not_provisioned'
  | 'rate_limited'
  | 'unavailable';

interface JobCallFailureFields {
  readonly kind: JobCallFailureKind;
  /** The permission that is missing, where that is known. */
  readonly permission?: string | null;
  readonly retryAfterMs?: number | null;
  /** Whether the call may have taken effect despite the failure; default false. */
  readonly isUncertain?: boolean;
  /** Only for the log. */
  readonly cause?: unknown;
}

/**
 * A failed call to the provider's storage or its jobs; docs/adr/0023 says why it is not the failure of an attempt. The
 * message holds nothing secret and may be shown to the caller.
 */
export class JobCallFailure extends Error {
  override readonly name = 'JobCallFailure';
  readonly kind: JobCallFailureKind;
  readonly permission: string | null;
  readonly retryAfterMs: number | null;
  readonly isUncertain: boolean;

  constructor(
    message: string,
    { kind, permission = null, retryAfterMs = null, isUncertain = false, cause }: JobCallFailureFields,
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.kind = kind;
    this.permission = permission;
    this.retryAfterMs = retryAfterMs;
    this.isUncertain = isUncertain;
  }
}

/** The Problem for a failure of the provider's; anything else that was thrown is returned unchanged. */
export function batchProblemOf(thrown: unknown): unknown {
  if (!(thrown instanceof JobCallFailure)) return thrown;
  const { kind, message, permission, retryAfterMs, cause } = thrown;
  switch (kind) {
    case 'denied': {
      const metadata = permission === null ? {} : { missing_permission: permission };
      const violations = [{ field: KEY_FIELD, rule: 'permission', message }];
      return new Problem('invalid_request', `${KEY_FIELD}: ${message}`, { violations, metadata, cause });
    }
    case 'refused':
    case 'missing':
    case 'conflict':
      return new Problem('upstream_invalid_request', message, { cause });
    case 'rate_limited': {
      const retryAfterSeconds = Math.ceil((retryAfterMs ?? DEFAULT_RETRY_MS) / 1000);
      return new Problem('upstream_rate_limited', message, { retryAfterSeconds, cause });
    }
    case 'not_provisioned':
    case 'unavailable':
      return new Problem('upstream_failed', message, { cause });
  }
}

/** The member that failures of the key's account name, even if the caller did not set it. */
export const KEY_FIELD = 'byok_key_id';

const DEFAULT_RETRY_MS = 10_000;
