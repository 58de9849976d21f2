/**
 * The order of attempts (spec 4.5.1, 4.5.5; interface section 6): Prioritized keys, shared capacity, Fallback keys;
 * what is cooling comes last of all, in that same order. The order is total: it depends on no order of the input.
 */
import { compareText } from '../../base/compare-text.js';
import type { Attempt, RequestDemands } from '../types.js';
import type { Candidate } from './candidates.js';
import { requestedOrder } from './preferences.js';

/** The order for requests that ask for none, while nothing cools. */
export function inUsualOrder(candidates: readonly Candidate[]): Candidate[] {
  return candidates
    .map((candidate) => ({
      candidate,
      attempt: candidate.attempt,
      place: Number.POSITIVE_INFINITY,
      statistic: 0,
    }))
    .sort(compareRanked)
    .map(({ candidate }) => candidate);
}

/** Turns ways that passed every check, in their usual order, into attempts in the order in which they are tried. */
export function inOrder(candidates: readonly Candidate[], demands: RequestDemands): Attempt[] {
  const { sort } = demands.preferences;
  const order = requestedOrder(demands.preferences);
  const attempts = candidates.map(({ attempt }) => standingNow(attempt, demands));
  const isUsual = order === null && (sort === null || sort === 'price');
  if (attempts.length < 2 || (isUsual && !attempts.some(isCooling))) return attempts;
  const ranked = candidates.map((candidate, index) => {
    const { endpoint } = candidate.attempt;
    const place = order?.indexOf(endpoint.provider) ?? -1;
    return {
      candidate,
      attempt: attempts[index] ?? candidate.attempt,
      place: place === -1 ? Number.POSITIVE_INFINITY : place,
      statistic: statisticFor(endpoint.id, demands),
    };
  });
  return ranked.sort(compareRanked).map(({ attempt }) => attempt);
}

/** The very attempt of the way unless it is cooling. */
function standingNow(attempt: Attempt, { standing }: RequestDemands): Attempt {
  const now = standing(attempt.endpoint.id, attempt.key?.id ?? null);
  return now.state === 'ok' ? attempt : { ...attempt, standing: now };
}

function isCooling({ standing }: Attempt): boolean {
  return standing.state === 'cooling';
}

function statisticFor(endpointId: string, { statistics, preferences: { sort } }: RequestDemands): number {
  if (sort === 'throughput') return -(statistics(endpointId)?.tokensPerSecond ?? Number.NEGATIVE_INFINITY);
  if (sort === 'latency') return statistics(endpointId)?.latencyMs ?? Number.POSITIVE_INFINITY;
  return 0;
}

/** A way with everything else that it is sorted by. */
interface Ranked {
  readonly candidate: Candidate;
  readonly attempt: Attempt;
  /** Position of the provider in the requested order; infinite where it is not named. */
  readonly place: number;
  /** What `sort` asks for, lower is better; infinite without figures. */
  readonly statistic: number;
}

const SECTIONS: readonly Attempt['section'][] = ['prioritized', 'shared', 'fallback'];

function compareRanked(a: Ranked, b: Ranked): number {
  return compareGroups(a, b) || (a.attempt.key === null ? compareShared(a, b) : compareKeyed(a, b));
}

/** Cooling last of all; then the sections; within one, degraded endpoints last. */
function compareGroups({ attempt: a }: Ranked, { attempt: b }: Ranked): number {
  return (
    Number(isCooling(a)) - Number(isCooling(b)) ||
    SECTIONS.indexOf(a.section) - SECTIONS.indexOf(b.section) ||
    Number(isDegraded(a)) - Number(isDegraded(b))
  );
}

function isDegraded({ endpoint }: Attempt): boolean {
  return endpoint.status === 'degraded';
}

/** Shared capacity: the requested order, then by figure or price. */
function compareShared(a: Ranked, b: Ranked): number {
  return compareNumbers(a.place, b.place) || compareStatistics(a, b);
}

/** Keys: providers in the requested order, then by slug; within one by position; a key's endpoints by figure or price. */
function compareKeyed(a: Ranked, b: Ranked): number {
  return (
    compareNumbers(a.place, b.place) ||
    compareText(a.attempt.provider.slug, b.attempt.provider.slug) ||
    compareNumbers(a.attempt.key?.sortOrder ?? 0, b.attempt.key?.sortOrder ?? 0) ||
    compareText(a.attempt.key?.id ?? '', b.attempt.key?.id ?? '') ||
    compareStatistics(a, b)
  );
}

/** Measured before unmeasured, the better first; then the cheaper. */
function compareStatistics(a: Ranked, b: Ranked): number {
  return compareNumbers(a.statistic, b.statistic) || a.candidate.cheapness - b.candidate.cheapness;
}

/** Infinities are equal to themselves here, which subtraction gets wrong. */
function compareNumbers(a: number, b: number): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
