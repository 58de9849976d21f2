/** Checks what the request's cost demands of an endpoint: see docs/money.md#work-of-the-host. */
import { formatNano } from '../../base/money.js';
import { isFree } from '../../catalog/price.js';
import type { HostWork } from '../../formats/host-work.js';
import { type Attempt, EXCLUSION_REASONS, type RequestDemands } from '../types.js';
import { refusedByRequest } from './checks.js';
import { excludedFor, type ReasonedExclusion } from './exclusion.js';
import type { JudgedDemands, ServedEndpoint } from './reach-checks.js';

/** An endpoint over shared capacity (`key` is null), or with any key (no `key`). */
export type Payable = ServedEndpoint & Pick<Attempt, 'modelReasoning'>;

/** Why the request's preferences, size or cost exclude the endpoint: the first reason that applies, else undefined. */
export function refusedByDemands(payable: Payable, demands: JudgedDemands): ReasonedExclusion | undefined {
  const refused = refusedByRequest(payable, demands);
  if (demands.cost === null) return refused;
  return firstOf(firstOf(refused, withinMaxCost(payable, demands)), boundedWork(payable, demands));
}

function firstOf(
  one: ReasonedExclusion | undefined,
  other: ReasonedExclusion | undefined,
): ReasonedExclusion | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return EXCLUSION_REASONS.indexOf(other.reason) < EXCLUSION_REASONS.indexOf(one.reason) ? other : one;
}

function withinMaxCost(
  payable: Payable,
  { cost, preferences: { maxCostNanoUsd } }: RequestDemands,
): ReasonedExclusion | undefined {
  if (cost === null || maxCostNanoUsd === null) return undefined;
  const most = cost.mostOf(payable);
  if (most <= maxCostNanoUsd) return undefined;
  return excludedFor(
    'max_price',
    `The request may cost up to ${formatNano(most)} USD there, provider.max_cost_usd is ${formatNano(maxCostNanoUsd)}.`,
  );
}

/**
 * A server tool without a known maximum cost can't be used over billed shared capacity. Elsewhere it needs that no
 * limit applies, or that the request itself sets a maximum.
 */
function boundedWork(
  payable: Payable,
  { cost, isBilled, preferences: { maxCostNanoUsd } }: RequestDemands,
): ReasonedExclusion | undefined {
  const { endpoint, key } = payable;
  if (cost === null || cost.unbounded === null || isFree(endpoint.pricing)) return undefined;
  const unbounded = cost.unboundedAt(payable);
  if (unbounded === null) return undefined;
  const isShared = key === null && isBilled;
  if (!isShared && (!cost.isLimited || maxCostNanoUsd !== null)) return undefined;
  const wayOut = isShared ? waysOfShared(unbounded) : 'limits apply, so give provider.max_cost_usd';
  return excludedFor(
    'unsupported_parameter',
    `Nothing bounds what ${nameOf(unbounded)} may cost: ${wayOut}.`,
  );
}

function waysOfShared({ boundedBy }: HostWork): string {
  const bounded = boundedBy === null ? '' : `give ${boundedBy}, or `;
  return `${bounded}use a key of your own`;
}

function nameOf({ path, type }: HostWork): string {
  return path === type ? path : `${path} (${type})`;
}
