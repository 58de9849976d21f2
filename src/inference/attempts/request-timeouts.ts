import type { Timeouts } from '../../base/timeouts.js';
import type { RequestedTimeouts } from '../../formats/routing-members.js';

/** For a call that is no request of a caller: whatever it waits for may take this long. */
export function sameTimeouts(milliseconds: number): Timeouts {
  return {
    firstByteMs: milliseconds,
    firstTokenMs: milliseconds,
    idleMs: milliseconds,
    totalMs: milliseconds,
  };
}

/** The operator's timeouts, each replaced by the request's where that is shorter. */
export function tightenTimeouts(operator: Timeouts, requested: RequestedTimeouts | undefined): Timeouts {
  if (requested === undefined) return operator;
  return {
    firstByteMs: Math.min(operator.firstByteMs, requested.first_byte ?? Infinity),
    firstTokenMs: Math.min(operator.firstTokenMs, requested.first_token ?? Infinity),
    idleMs: Math.min(operator.idleMs, requested.idle ?? Infinity),
    totalMs: Math.min(operator.totalMs, requested.total ?? Infinity),
  };
}

/**
 * The timeouts of an answer in one piece. Most providers send nothing before it is finished, so only the total timeout
 * can tell a long answer from a missing one.
 */
export function totalAlone({ totalMs }: Timeouts): Timeouts {
  return { firstByteMs: Infinity, firstTokenMs: Infinity, idleMs: Infinity, totalMs };
}
