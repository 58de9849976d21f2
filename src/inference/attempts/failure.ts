/** How one attempt at a provider fails, in the same few words whatever the protocol (spec section 7, interface section 6). */

/**
 * `invalid_request`: the provider refuses the request as such; `auth`: it refuses the credential; `rate_limit`; the
 * provider's trouble or the way to it: `upstream_error`; `content_filter`: it refuses what is said, which ends the
 * plan; `cancelled`: the client went away, which is nobody's failure.
 */
export type FailureKind =
  | 'invalid_request'
  | 'auth'
  | 'rate_limit'
  | 'upstream_error'
  | 'content_filter'
  | 'cancelled';

/** What went wrong where no status says it; `internal` is a mistake of the gateway's own. */
export type FailureWord =
  | 'timeout'
  | 'reset'
  | 'connect'
  | 'truncated'
  | 'malformed'
  | 'credential'
  | 'cancelled'
  | 'internal';

/** Longest message of a provider that is kept; real ones fit, an HTML page does not. */
const MAX_MESSAGE_CHARACTERS = 1000;

interface FailureFields {
  readonly kind: FailureKind;
  /** HTTP status of the provider's answer; null when none came. */
  readonly status?: number | null;
  readonly error?: FailureWord;
  /** What the provider asks to wait before the same key is tried again. */
  readonly retryAfterMs?: number | null;
  /** Whether it is held against the endpoint and the key; true unless said otherwise. */
  readonly isPenalised?: boolean;
  /** For the log alone. */
  readonly cause?: unknown;
}

/** Thrown by adapters for one attempt. The message may be shown to callers: it must hold nothing secret. */
export class UpstreamFailure extends Error {
  override readonly name = 'UpstreamFailure';
  readonly kind: FailureKind;
  readonly status: number | null;
  readonly error: FailureWord | null;
  readonly retryAfterMs: number | null;
  readonly isPenalised: boolean;

  constructor(message: string, fields: FailureFields) {
    super(
      message.slice(0, MAX_MESSAGE_CHARACTERS),
      fields.cause === undefined ? undefined : { cause: fields.cause },
    );
    this.kind = fields.kind;
    this.status = fields.status ?? null;
    this.error = fields.error ?? null;
    this.retryAfterMs = fields.retryAfterMs ?? null;
    this.isPenalised = fields.isPenalised ?? true;
  }
}

const KIND_BY_STATUS: ReadonlyMap<number, FailureKind> = new Map([
  [400, 'invalid_request'],
  [404, 'invalid_request'],
  [413, 'invalid_request'],
  [422, 'invalid_request'],
  [401, 'auth'],
  [402, 'auth'],
  [403, 'auth'],
  [429, 'rate_limit'],
  [529, 'rate_limit'],
]);

/** The kind that an HTTP status alone tells; an adapter that reads more in the body says so itself. */
export function kindOfStatus(status: number): FailureKind {
  return KIND_BY_STATUS.get(status) ?? 'upstream_error';
}
