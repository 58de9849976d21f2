/**
 * The one error type of the gateway. It speaks with two voices: a public message, which every door may
 * show to the caller, and an internal cause, which only the log sees.
 */
import { type Code, REASONS, type Reason } from './reasons.js';

export type { Code, Reason } from './reasons.js';

/** One broken rule of a request. `field` is the path in REST spelling, `rule` one stable word. */
export interface Violation {
  readonly field: string;
  readonly rule: string;
  readonly message: string;
}

/** JSON that may be shown to the caller beside the message (spec section 7, `error.metadata`). */
export type Metadata = Readonly<Record<string, unknown>>;

interface ProblemOptions {
  readonly violations?: readonly Violation[];
  readonly metadata?: Metadata;
  readonly retryAfterSeconds?: number;
  /** Never shown to a caller. */
  readonly cause?: unknown;
}

/** A failure with a stable reason. The code and the HTTP status follow from the reason. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly reason: Reason;
  readonly violations: readonly Violation[];
  readonly metadata: Metadata;
  readonly retryAfterSeconds: number | undefined;

  constructor(reason: Reason, message: string, options: ProblemOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.reason = reason;
    this.violations = options.violations ?? [];
    this.metadata = options.metadata ?? {};
    this.retryAfterSeconds = options.retryAfterSeconds;
  }

  /** The RPC status code (Connect and gRPC share the names). */
  get code(): Code {
    return REASONS[this.reason].code;
  }

  /** The HTTP status of the REST door; also `error.code` of the envelope. */
  get httpStatus(): number {
    return REASONS[this.reason].httpStatus;
  }
}

/** A 400 that names every broken rule at once. Throws nothing; the caller throws the result. */
export function invalid(violations: readonly Violation[]): Problem {
  return new Problem('invalid_request', violations.map(sentence).join('; '), { violations });
}

/** What is wrong with the request as a whole names no field. */
function sentence({ field, message }: Violation): string {
  return field === '' ? message : `${field}: ${message}`;
}

/** The answer for what does not exist and for what the caller may not see: one text for both. */
export function notFound(): Problem {
  return new Problem('not_found', 'Resource not found');
}

/** Turns whatever was thrown into a Problem; what is not one becomes an internal error with its cause kept. */
export function toProblem(thrown: unknown): Problem {
  if (thrown instanceof Problem) return thrown;
  return new Problem('internal', 'Internal server error', { cause: thrown });
}
