import type { Violation } from '../../base/problem.js';
import type { HostWork } from '../../formats/host-work.js';
import { isUnbounded } from '../../formats/shared-capacity/work.js';
import type { CostDemand, ProviderPreferences } from '../types.js';
import { maxCostOf } from './max-usage.js';
import type { RequestSize } from './request-size.js';
import { workAt } from './work-at.js';

/**
 * The size of a request to which limits may apply, as it is sent then: without tools that nothing bounds, where the answer
 * can do without them.
 */
export function sizeWithinLimits(
  size: RequestSize,
  { maxCostNanoUsd }: Pick<ProviderPreferences, 'maxCostNanoUsd'>,
  isLimited: boolean,
): RequestSize {
  if (!isLimited || maxCostNanoUsd !== null) return size;
  const leftOutWork = size.work.filter((one) => one.isOptional === true && isUnbounded(one));
  if (leftOutWork.length === 0) return size;
  return { ...size, work: size.work.filter((one) => !leftOutWork.includes(one)), leftOutWork };
}

/** What planning needs to know about the cost of the request; null for nearly all requests. */
export function costDemandOf(
  whole: RequestSize,
  preferences: ProviderPreferences,
  isLimited: boolean,
  at: number,
): CostDemand | null {
  const { maxCostNanoUsd } = preferences;
  const size = sizeWithinLimits(whole, preferences, isLimited);
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
