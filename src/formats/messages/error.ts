import type { Metadata, Violation } from '../../base/problem.js';
import type { Reason } from '../../base/reasons.js';
import type { ErrorEvent } from './types.js';

/** What failed: a `Problem`, or the error detail of an RPC. */
export interface Failed {
  readonly reason: Reason;
  readonly httpStatus: number;
  readonly message: string;
  readonly violations: readonly Violation[];
  readonly metadata: Metadata;
}

/** The status and the body that clients of Messages expect for what failed. */
export declare function messagesError(
  failed: Failed,
  requestId: string | null,
): { readonly status: number; readonly body: ErrorEvent };
