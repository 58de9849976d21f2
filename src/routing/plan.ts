/**
 * The plan of one model: which ways of serving the request are tried in which order, and for every other way the
 * one reason why it is not (spec 4.5, interface section 6).
 */
import { compareExclusions, exclusionOf } from './exclusion.js';
import { inOrder } from './order.js';
import { requestedOrder } from './preferences.js';
import { beyondMeans, refusedByRequest } from './request-checks.js';
import type {
  Asked,
  Attempt,
  Exclusion,
  ExclusionReason,
  Plan,
  PlanInput,
  ProviderPreferences,
  Standpoint,
} from './types.js';
import { type Way, type Ways, waysOf } from './ways.js';

/**
 * Plans the request. Pure, total and deterministic: every endpoint on shared capacity and every pair of a key and an
 * endpoint of its provider is exactly one attempt or exactly one exclusion; a key that has no endpoint for the model
 * is one exclusion. Neither depends on the order in which endpoints and keys are given.
 */
export function plan(input: PlanInput): Plan {
  return planWays(waysOf(input.model, input, input.preferences), input, input.maxAttempts);
}

/** The same over ways that are found already: what is left to decide is what the request asks for, and when. */
export function planWays(
  { open, closed }: Ways,
  asked: Asked & Pick<Standpoint, 'providers'>,
  maxAttempts: number,
): Plan {
  const usable: Way[] = [];
  const excluded = [...closed];
  for (const way of open) {
    const exclusion = judge(way, asked);
    if (exclusion === null) usable.push(way);
    else excluded.push(exclusion);
  }
  const ordered = inOrder(usable, asked);
  const allowed = onlyFirst(asked) ? ordered.slice(0, 1) : ordered;
  const attempts = allowed.slice(0, maxAttempts);
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
    unknownProviders: unknownProviders(asked.preferences, asked.providers),
  };
}

/** The first reason that stands against an open way, in the order of evaluation of interface section 6. */
function judge(way: Way, asked: Asked): Exclusion | null {
  const { endpoint, key } = way.attempt;
  const refused = refusedByRequest(endpoint, asked);
  if (refused !== undefined) return exclusionOf(endpoint.provider, endpoint.id, key, refused);
  if (way.unavailable !== null) return way.unavailable;
  const unpaid = beyondMeans(way, asked);
  return unpaid === undefined ? null : exclusionOf(endpoint.provider, endpoint.id, key, unpaid);
}

/** Without an order, a request that allows no fallbacks has one attempt. */
function onlyFirst({ preferences }: Asked): boolean {
  return !preferences.allowFallbacks && requestedOrder(preferences) === null;
}

function excludedAs(reason: ExclusionReason, detail: string): (attempt: Attempt) => Exclusion {
  return ({ endpoint, key }) => exclusionOf(endpoint.provider, endpoint.id, key, { reason, detail });
}

/** Each once, as they stand in order, only and ignore. */
function unknownProviders(
  { order, only, ignore }: ProviderPreferences,
  providers: Standpoint['providers'],
): string[] {
  const named = new Set([...(order ?? []), ...(only ?? []), ...(ignore ?? [])]);
  return [...named].filter((name) => !providers.has(name));
}
