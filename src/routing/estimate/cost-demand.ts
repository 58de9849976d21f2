import type { Violation } from '../../base/problem.js';
import type { HostWork } from '../../formats/host-work.js';
import type { CostDemand, ProviderPreferences } from '../types.js';
import { maxCostOf } from './max-usage.js';
import type { RequestSize } from './request-size.js';

/** What a plan at this instant needs to know of the request's cost; null for nearly all requests. */
export function costDemandOf(
  size: RequestSize,
  { maxCostNanoUsd }: ProviderPreferences,
  isLimited: boolean,
  at: number,
): CostDemand | null {
  const unbounded = unboundedOf(size);
  if (unbounded === null && maxCostNanoUsd === null) return null;
  return { unbounded, isLimited, mostOf: (attempt) => maxCostOf(size, attempt, at) };
}

/** Why a request with this server tool is refused: with a key of one's own, the last words hold. */
export function notBounded({ path, boundedBy }: HostWork, withKey: string): Violation {
  const bound = boundedBy === null ? '' : ` a whole number in ${boundedBy},`;
  return {
    field: path,
    rule: 'bounded',
    message: `needs${bound} a key of your own, ${withKey}: nothing bounds what it may cost`,
  };
}

/** The first server tool of which neither the request nor its host says how often it may be used; null = none. */
export function unboundedOf({ work }: Pick<RequestSize, 'work'>): HostWork | null {
  return work.find(isUnbounded) ?? null;
}

function isUnbounded({ priceKey, maxUses, maxTurns }: HostWork): boolean {
  return maxTurns === null || (priceKey !== null && maxUses === null);
}
