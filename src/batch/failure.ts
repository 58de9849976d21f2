import { Problem } from '../base/problem.js';

/**
 * `denied`: the account at the provider may not; `refused`: the provider refuses what is asked for; `missing`: it
 * knows nothing of it; `conflict`: there is one already; `not_provisioned`: the provider's own agents are still being
 * made; `rate_limited`; `unavailable`: its trouble or the way to it.
 */
export type ProviderFailureKind =
  | 'denied'
  | 'refused'
  | 'missing'
  | 'conflict'
  | 'not_provisioned'
  | 'rate_limited'
  | 'unavailable';

interface ProviderFailureFields {
  readonly kind: ProviderFailureKind;
  /** The permission that is missing, where that is known. */
  readonly permission?: string | null;
  readonly retryAfterMs?: number | null;
  /** Whether what was asked for may have been done all the same; false unless said otherwise. */
  readonly isUncertain?: boolean;
  /** For the log alone. */
  readonly cause?: unknown;
}

/** A call to the provider that came to nothing. The message may be shown: it holds nothing secret. */
export class ProviderFailure extends Error {
  override readonly name = 'ProviderFailure';
  readonly kind: ProviderFailureKind;
  readonly permission: string | null;
  readonly retryAfterMs: number | null;
  readonly isUncertain: boolean;

  constructor(
    message: string,
    { kind, permission = null, retryAfterMs = null, isUncertain = false, cause }: ProviderFailureFields,
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.kind = kind;
    this.permission = permission;
    this.retryAfterMs = retryAfterMs;
    this.isUncertain = isUncertain;
  }
}

/** What the caller is told of a failure; whatever else was thrown comes back as it is. */
export function problemOf(thrown: unknown): unknown {
  if (!(thrown instanceof ProviderFailure)) return thrown;
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

/** The key's account is at fault, whether or not the caller chose the key. */
export const KEY_FIELD = 'byok_key_id';

const DEFAULT_RETRY_MS = 10_000;
