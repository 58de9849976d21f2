import type { RequestedTimeouts } from '../../formats/routing-members.js';

/** How long a request waits for what, in milliseconds (interface section 6). */
export interface Timeouts {
  /**
   * For a provider's first byte. Most providers begin an answer in one piece only when it is finished: there this is
   * the time for all of it.
   */
  readonly firstByteMs: number;
  /** For its first content. */
  readonly firstTokenMs: number;
  /** Between two pieces of a stream. */
  readonly idleMs: number;
  /** For everything, all attempts together. */
  readonly totalMs: number;
}

/** What holds when the operator says nothing else. */
export const DEFAULT_TIMEOUTS: Timeouts = {
  firstByteMs: 60_000,
  firstTokenMs: 120_000,
  idleMs: 120_000,
  totalMs: 600_000,
};

/** The operator's timeouts, each replaced by the request's where that is tighter. */
export function tightenTimeouts(operator: Timeouts, requested: RequestedTimeouts | undefined): Timeouts {
  if (requested === undefined) return operator;
  return {
    firstByteMs: Math.min(operator.firstByteMs, requested.first_byte ?? Infinity),
    firstTokenMs: Math.min(operator.firstTokenMs, requested.first_token ?? Infinity),
    idleMs: Math.min(operator.idleMs, requested.idle ?? Infinity),
    totalMs: Math.min(operator.totalMs, requested.total ?? Infinity),
  };
}
