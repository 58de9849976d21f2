/** What a check says: a reason that holds, or nothing. */
import type { ExclusionReason } from '../types.js';

/** A reason that holds, with one sentence for a person. */
export interface ReasonedExclusion {
  readonly reason: ExclusionReason;
  readonly detail: string;
}

/** Puts a finding together. */
export function found(reason: ExclusionReason, detail: string): ReasonedExclusion {
  return { reason, detail };
}
