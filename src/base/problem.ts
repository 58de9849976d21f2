/**
 * The error type of the gateway: a public message, which every transport may show to the caller, and an internal cause,
 * which only the log shows. See `docs/adr/0017-problems-with-reasons.md`.
 */
import { type Code, REASONS, type Reason } from './reasons.js';

export type { Code, Reason } from './reasons.js';

/** One rule that a request breaks. `field` is the path in REST spelling, `rule` a stable word. */
export interface Violation {
  readonly field: string;
  readonly rule: string;
  readonly message: string;
}

/** JSON that is shown to the caller beside the message, as `error.metadata`. */
export type Metadata = Readonly<Record<string, unknown>>;

/** What failed, as every form of errors tells it: a `Problem`, or the error detail of an RPC. */
export interface FailureDetails {
  readonly reason: Reason;
  readonly httpStatus: number;
  readonly message: string;
  readonly violations: readonly Violation[];
  readonly metadata: Metadata;
}

interface ProblemOptions {
  readonly violations?: readonly Violation[];
  readonly metadata?: Metadata;
  readonly retryAfterSeconds?: number;
  /** What is left of the caller's tightest limit, in USD. */
  readonly remainingUsd?: string | undefined;
  /** Never shown to a caller. */
  readonly cause?: unknown;
}

/** The reason is stable; it determines the code and the HTTP status. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly reason: Reason;
  readonly violations: readonly Violation[];
  readonly metadata: Metadata;
  readonly retryAfterSeconds: number | undefined;
  readonly remainingUsd: string | undefined;

  constructor(reason: Reason, message: string, options: ProblemOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.reason = reason;
    this.violations = options.violations ?? [];
    this.metadata = options.metadata ?? {};
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.remainingUsd = options.remainingUsd;
  }

  /** The same, which also tells what is left of the caller's tightest limit. */
  withRemaining(remainingUsd: string): Problem {
    const { violations, metadata, retryAfterSeconds, cause } = this;
    return new Problem(this.reason, this.message, {
      ...{ violations, metadata, cause, remainingUsd },
      ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    });
  }

  /** RPC status code; Connect and gRPC share the names. */
  get code(): Code {
    return REASONS[this.reason].code;
  }

  /** HTTP status of a REST answer, and its `error.code`. */
  get httpStatus(): number {
    return REASONS[this.reason].httpStatus;
  }
}

/** A 400 that names every violation at once. Returned, not thrown. */
export function invalid(violations: readonly Violation[]): Problem {
  return new Problem('invalid_request', violations.map(sentence).join('; '), { violations });
}

/** A violation of the request as a whole has an empty field. */
function sentence({ field, message }: Violation): string {
  return field === '' ? message : `${field}: ${message}`;
}

/** Seconds after which another process is likely to serve in the place of one that stops. */
export const SHUTDOWN_RETRY_AFTER_S = 5;

/** For what a process that stops takes no more, or does not end. */
export function shuttingDown(): Problem {
  return new Problem('shutting_down', 'The gateway is shutting down', {
    retryAfterSeconds: SHUTDOWN_RETRY_AFTER_S,
  });
}

/** For what nobody waits for any more. */
export function clientClosed(): Problem {
  return new Problem('client_closed', 'Client closed the request');
}

/** One message for what does not exist and for what the caller may not see. */
export function notFound(): Problem {
  return new Problem('not_found', 'Resource not found');
}

/** Returns a Problem unchanged; anything else becomes the cause of an internal error. */
export function toProblem(thrown: unknown): Problem {
  if (thrown instanceof Problem) return thrown;
  return new Problem('internal', 'Internal server error', { cause: thrown });
}
