/**
 * The plan of one model: which ways of serving the request are tried in which order, and for every other way the
 * one reason why it is not (spec 4.5, interface section 6).
 */
import { compareText } from '../base/compare-text.js';
import type { Endpoint } from '../catalog/types.js';
import { type Access, type Candidate, findCandidates } from './candidate.js';
import { judgeCandidate, judgeKeyWithoutEndpoint } from './checks.js';
import type { Finding } from './finding.js';
import { inOrder } from './order.js';
import { type Situation, situationOf } from './situation.js';
import type { Attempt, Exclusion, ExclusionReason, Plan, PlanInput } from './types.js';

/**
 * Plans the request. Pure, total and deterministic: every endpoint on shared capacity and every pair of a key and an
 * endpoint of its provider is exactly one attempt or exactly one exclusion; a key that has no endpoint for the model
 * is one exclusion. Neither depends on the order in which endpoints and keys are given.
 */
export function plan(input: PlanInput): Plan {
  const situation = situationOf(input);
  const { candidates, keysWithoutEndpoint } = findCandidates(input);

  const usable: Candidate[] = [];
  const excluded: Exclusion[] = [];
  for (const candidate of candidates) {
    const finding = judgeCandidate(candidate, situation);
    if (finding === undefined) usable.push(candidate);
    else excluded.push(exclusionOf(candidate, finding));
  }
  for (const key of keysWithoutEndpoint) {
    const access = { providerSlug: key.key.provider, key };
    excluded.push(exclusionOf(access, judgeKeyWithoutEndpoint(access, situation)));
  }

  const ordered = inOrder(usable, situation);
  const allowed = onlyFirst(situation) ? ordered.slice(0, 1) : ordered;
  const attempts = allowed.slice(0, input.maxAttempts);
  excluded.push(
    ...ordered
      .slice(allowed.length)
      .map(excludedAs('fallbacks_not_allowed', 'Only the first attempt is allowed.')),
    ...allowed
      .slice(attempts.length)
      .map(excludedAs('attempt_cap', 'The bound on attempts is reached before it.')),
  );
  return {
    attempts,
    excluded: excluded.sort(compareExclusions),
    unknownProviders: unknownProviders(input),
  };
}

/** Without an order, a request that allows no fallbacks has one attempt. */
function onlyFirst({ preferences, requestedOrder }: Situation): boolean {
  return !preferences.allowFallbacks && requestedOrder === null;
}

function excludedAs(reason: ExclusionReason, detail: string): (attempt: Attempt) => Exclusion {
  return ({ endpoint, key }) => ({
    provider: endpoint.provider,
    endpointId: endpoint.id,
    byokKeyId: key?.id ?? null,
    reason,
    detail,
  });
}

function exclusionOf(way: Access & { readonly endpoint?: Endpoint }, { reason, detail }: Finding): Exclusion {
  return {
    provider: way.providerSlug,
    endpointId: way.endpoint?.id ?? null,
    byokKeyId: way.key?.key.id ?? null,
    reason,
    detail,
  };
}

/** By provider, endpoint and key; shared capacity before keys. */
function compareExclusions(a: Exclusion, b: Exclusion): number {
  return (
    compareText(a.provider, b.provider) ||
    compareText(a.endpointId ?? '', b.endpointId ?? '') ||
    compareText(a.byokKeyId ?? '', b.byokKeyId ?? '')
  );
}

/** Each once, as they stand in order, only and ignore. */
function unknownProviders({ preferences: { order, only, ignore }, providers }: PlanInput): string[] {
  const named = new Set([...(order ?? []), ...(only ?? []), ...(ignore ?? [])]);
  return [...named].filter((name) => !providers.has(name));
}
