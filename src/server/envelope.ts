import type { Problem } from '../base/problem.js';

/** The error envelope (spec section 7) as far as every error has it; `error.code` is the HTTP status. */
export interface ErrorEnvelope {
  readonly error: {
    readonly code: number;
    readonly message: string;
    readonly metadata: Readonly<Record<string, unknown>>;
  };
}

/** What a caller may see of a problem: the public message, the reason, the violations, never the cause. */
export function errorEnvelope(problem: Problem): ErrorEnvelope {
  const violations = problem.violations.length === 0 ? {} : { violations: problem.violations };
  return {
    error: {
      code: problem.httpStatus,
      message: problem.message,
      metadata: { ...problem.metadata, ...violations, reason: problem.reason },
    },
  };
}
