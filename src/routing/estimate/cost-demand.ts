import type { Violation } from '../../base/problem.js';
import type { HostWork } from '../../formats/host-work.js';
import { isUnbounded } from '../../formats/shared/work.js';
import type { CostDemand, ProviderPreferences } from '../types.js';
import { maxCostOf } from './max-usage.js';
import type { RequestSize } from './request-size.js';
import { workAt } from './work-at.js';

/** What planning needs to know about the cost of the request; null for nearly all requests. */
export function costDemandOf(
  size: RequestSize,
  { maxCostNanoUsd }: ProviderPreferences,
  isLimited: boolean,
  at: number,
): CostDemand | null {
  const unbounded = unboundedOf(size);
  if (unbounded === null && maxCostNanoUsd === null) return null;
  return {
    unbounded,
    unboundedAt: (served) => workAt(size, served).find(isUnbounded) ?? null,
    isLimited,
    mostOf: (attempt) => maxCostOf(size, attempt, at),
  };
}

/**
 * The violation of a request with a server tool that nothing limits. `withKey` ends it, and says what a key of one's
 * own would change.
 */
export function notBounded({ path, boundedBy }: HostWork, withKey: string): Violation {
  const bound = boundedBy === null ? '' : ` a whole number in ${boundedBy},`;
  return {
    field: path,
    rule: 'bounded',
    message: `needs${bound} a key of your own, ${withKey}: nothing bounds what it may cost`,
  };
}

/** The first server tool whose number of uses neither the request nor its host limits; null = none. */
export function unboundedOf({ work }: Pick<RequestSize, 'work'>): HostWork | null {
  return work.find(isUnbounded) ?? null;
}
