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

/** The first server tool of which neither the request nor its host says how often it may be used; null = none. */
function unboundedOf({ work }: Pick<RequestSize, 'work'>): HostWork | null {
  return work.find(isUnbounded) ?? null;
}

function isUnbounded({ priceKey, maxUses, maxTurns }: HostWork): boolean {
  return maxTurns === null || (priceKey !== null && maxUses === null);
}
