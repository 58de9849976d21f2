/** What a check says: a reason that holds, or nothing. */
import type { Situation } from './situation.js';
import type { ExclusionReason } from './types.js';

/** A reason that holds, with one sentence for a person. */
export interface Finding {
  readonly reason: ExclusionReason;
  readonly detail: string;
}

/** One group of reasons; undefined when none of them holds for the subject. */
export type Check<Subject> = (subject: Subject, situation: Situation) => Finding | undefined;

/** Puts a finding together. */
export function found(reason: ExclusionReason, detail: string): Finding {
  return { reason, detail };
}
