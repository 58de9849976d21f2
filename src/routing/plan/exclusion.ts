import type { Violation } from '../../base/problem.js';
import { compareText } from '../../base/text.js';
import type { ByokKey } from '../../byok/types.js';
import type { ContextOverflow } from '../../formats/context-overflow.js';
import type { Attempt, Exclusion, ExclusionCounts, ExclusionReason } from '../types.js';

/** The result of a check: why a candidate is excluded, and a sentence about it for people. */
export interface ReasonedExclusion {
  readonly reason: ExclusionReason;
  readonly detail: string;
  readonly violations?: readonly Violation[];
  readonly needsOwnKey?: true;
  /** The member of the request that names what is excluded, if that is not the request's model. */
  readonly field?: string;
  readonly overflow?: ContextOverflow;
}

export function excludedFor(reason: ExclusionReason, detail: string): ReasonedExclusion {
  return { reason, detail };
}

/** The exclusion of an endpoint on shared capacity, of an endpoint with a key, or of a key that has no endpoint. */
export function exclusionOf(
  provider: string,
  endpointId: string | null,
  key: ByokKey | null,
  { reason, detail, violations, needsOwnKey, field, overflow }: ReasonedExclusion,
): Exclusion {
  const exclusion = { provider, endpointId, byokKeyId: key?.id ?? null, reason, detail };
  if (violations === undefined && field === undefined && overflow === undefined) return exclusion;
  return {
    ...exclusion,
    ...(violations !== undefined && { violations }),
    ...(needsOwnKey !== undefined && { needsOwnKey }),
    ...(field !== undefined && { field }),
    ...(overflow !== undefined && { overflow }),
  };
}

/** The exclusion of a candidate that would otherwise be an attempt. */
export function excludedAs({ endpoint, key }: Attempt, exclusion: ReasonedExclusion): Exclusion {
  return exclusionOf(endpoint.provider, endpoint.id, key, exclusion);
}

/** By provider, endpoint and key; shared capacity comes before keys. */
export function compareExclusions(a: Exclusion, b: Exclusion): number {
  return (
    compareText(a.provider, b.provider) ||
    compareText(a.endpointId ?? '', b.endpointId ?? '') ||
    compareText(a.byokKeyId ?? '', b.byokKeyId ?? '')
  );
}

/** Counts in runs: thousands of consecutive exclusions may have the same reason. */
export function countReasons(lists: readonly (readonly Exclusion[])[]): ExclusionCounts {
  const counts: Partial<Record<ExclusionReason, number>> = {};
  for (const exclusions of lists) {
    for (let first = 0; first < exclusions.length; ) {
      const reason = exclusions[first]?.reason;
      let next = first + 1;
      while (next < exclusions.length && exclusions[next]?.reason === reason) next++;
      if (reason !== undefined) counts[reason] = (counts[reason] ?? 0) + next - first;
      first = next;
    }
  }
  return counts;
}
