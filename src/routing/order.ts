/**
 * The order of attempts (spec 4.5.1, 4.5.5; interface section 6): Prioritized keys, shared capacity, Fallback keys;
 * what is cooling comes last of all, in that same order. The order is total: it depends on no order of the input.
 */
import { compareText } from '../base/compare-text.js';
import { sectionOf } from '../byok/types.js';
import { compareEndpoints } from '../catalog/price.js';
import { singleRegion } from './called-regions.js';
import type { Candidate } from './candidate.js';
import type { Situation } from './situation.js';
import type { Attempt } from './types.js';

/** Turns candidates that passed every check into attempts, in the order in which they are tried. */
export function inOrder(candidates: readonly Candidate[], situation: Situation): Attempt[] {
  const byPrice = situation.model.endpoints.toSorted(compareEndpoints).map(({ id }) => id);
  const ranked = candidates.map((candidate) =>
    rank(candidate, byPrice.indexOf(candidate.endpoint.id), situation),
  );
  ranked.sort(
    (a, b) => compareGroups(a, b) || (a.attempt.key === null ? compareShared(a, b) : compareKeyed(a, b)),
  );
  return ranked.map(({ attempt }) => attempt);
}

const SECTIONS = ['prioritized', 'shared', 'fallback'] as const;

/** An attempt with everything that it is sorted by. */
interface Ranked {
  readonly attempt: Attempt;
  readonly cooling: boolean;
  readonly section: number;
  readonly degraded: boolean;
  /** Position of the provider in the requested order; infinite where it is not named. */
  readonly place: number;
  /** What `sort` asks for, lower is better; infinite without figures. */
  readonly figure: number;
  /** Position among the model's endpoints, the cheapest first; unique. */
  readonly cheapness: number;
}

function rank(candidate: Candidate, cheapness: number, situation: Situation): Ranked {
  const { endpoint, provider, regions } = candidate;
  const key = candidate.key?.key ?? null;
  const standing = situation.standing(endpoint.id, key?.id ?? null);
  const section = key === null ? 'shared' : sectionOf(key);
  const place = situation.requestedOrder?.indexOf(endpoint.provider) ?? -1;
  return {
    attempt: {
      endpoint,
      provider,
      modelReasoning: situation.model.reasoning,
      key,
      section,
      region: singleRegion(regions),
      standing,
    },
    cooling: standing.state === 'cooling',
    section: SECTIONS.indexOf(section),
    degraded: endpoint.status === 'degraded',
    place: place === -1 ? Number.POSITIVE_INFINITY : place,
    figure: figureFor(endpoint.id, situation),
    cheapness,
  };
}

function figureFor(endpointId: string, { figures, preferences: { sort } }: Situation): number {
  if (sort === 'throughput') return -(figures(endpointId)?.tokensPerSecond ?? Number.NEGATIVE_INFINITY);
  if (sort === 'latency') return figures(endpointId)?.latencyMs ?? Number.POSITIVE_INFINITY;
  return 0;
}

/** Cooling last of all; then the sections; within one, degraded endpoints last. */
function compareGroups(a: Ranked, b: Ranked): number {
  return (
    Number(a.cooling) - Number(b.cooling) || a.section - b.section || Number(a.degraded) - Number(b.degraded)
  );
}

/** Shared capacity: the requested order, then by figure or price. */
function compareShared(a: Ranked, b: Ranked): number {
  return compareNumbers(a.place, b.place) || compareFigures(a, b);
}

/** Keys: providers in the requested order, then by slug; within one by position; a key's endpoints by figure or price. */
function compareKeyed(a: Ranked, b: Ranked): number {
  return (
    compareNumbers(a.place, b.place) ||
    compareText(a.attempt.provider.slug, b.attempt.provider.slug) ||
    compareNumbers(a.attempt.key?.sortOrder ?? 0, b.attempt.key?.sortOrder ?? 0) ||
    compareText(a.attempt.key?.id ?? '', b.attempt.key?.id ?? '') ||
    compareFigures(a, b)
  );
}

/** Measured before unmeasured, the better first; then the cheaper. */
function compareFigures(a: Ranked, b: Ranked): number {
  return compareNumbers(a.figure, b.figure) || a.cheapness - b.cheapness;
}

/** Infinities are equal to themselves here, which subtraction gets wrong. */
function compareNumbers(a: number, b: number): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
