/**
 * The order of attempts: prioritized keys, shared capacity, fallback keys. Candidates that are cooling or resting come
 * last, in the same order. The order is total and does not depend on the order of the input. See
 * docs/routing.md#the-order-of-attempts.
 */
import { addDecimals, compareDecimals, type Decimal } from '../../base/money.js';
import { compareText } from '../../base/text.js';
import { BASE_MODE } from '../../catalog/modes.js';
import { priceInMode } from '../../ledger/pricing/rates.js';
import type { Attempt, EndpointHealth, RequestDemands } from '../types.js';
import type { Candidate } from './candidate.js';
import { requestedOrder } from './preferences.js';
import { affinityOf, spreadOverKeys } from './session-order.js';

/** The order for requests without preferences while nothing is cooling. */
export function inDefaultOrder(candidates: readonly Candidate[]): Candidate[] {
  return candidates
    .map((candidate) => ({
      candidate,
      attempt: candidate.attempt,
      orderPosition: Number.POSITIVE_INFINITY,
      statistic: 0,
      affinity: 0,
    }))
    .sort(compareRanked)
    .map(({ candidate }) => candidate);
}

/** Turns candidates that passed every check, in default order, into attempts in the order in which they are tried. */
export function inOrder(candidates: readonly Candidate[], demands: RequestDemands): Attempt[] {
  const { session } = demands;
  const { sort } = demands.preferences;
  const order = requestedOrder(demands.preferences);
  const attempts = candidates.map(({ attempt }) => withCurrentHealth(attempt, demands));
  const inModes = ranksInModes(candidates, demands);
  const isSorted = order === null && (sort === null || sort === 'price') && session === null;
  const isUsual = isSorted && inModes === null;
  if (attempts.length < 2 || (isUsual && !attempts.some(isDeferred))) return attempts;
  const affinity = session === null ? null : affinityOf(session);
  const ranked = candidates.map((candidate, index) => {
    const { endpoint } = candidate.attempt;
    const orderPosition = order?.indexOf(endpoint.provider) ?? -1;
    return {
      candidate: inModes === null ? candidate : { ...candidate, ...inModes.get(candidate) },
      attempt: attempts[index] ?? candidate.attempt,
      orderPosition: orderPosition === -1 ? Number.POSITIVE_INFINITY : orderPosition,
      statistic: statisticFor(candidate.attempt, demands),
      affinity: affinity?.(endpoint.id) ?? 0,
    };
  });
  ranked.sort(compareRanked);
  const spread = affinity === null ? ranked : spreadOverKeys(ranked, affinity, compareGroups);
  return spread.map(({ attempt }) => attempt);
}

/** The ranks of prices where the request asks for a mode that is priced apart; null where it does not. */
function ranksInModes(
  candidates: readonly Candidate[],
  { modes, promptTokens }: RequestDemands,
): ReadonlyMap<Candidate, Pick<Candidate, 'priceRank' | 'priceClass'>> | null {
  const asked = candidates.map(({ attempt: { endpoint, provider } }) => modes.at(endpoint, provider).mode);
  if (asked.every((mode) => mode === BASE_MODE)) return null;
  const priced = candidates.map((candidate, index) => {
    const { pricing } = candidate.attempt.endpoint;
    const of = (key: 'prompt' | 'completion') =>
      priceInMode(pricing, key, asked[index] ?? BASE_MODE, promptTokens ?? 0) ?? FREE;
    return { candidate, price: addDecimals(of('prompt'), of('completion')) };
  });
  priced.sort((a, b) => compareDecimals(a.price, b.price) || a.candidate.priceRank - b.candidate.priceRank);
  let priceClass = 0;
  return new Map(
    priced.map(({ candidate, price }, priceRank) => {
      if (compareDecimals(priced[priceRank - 1]?.price ?? price, price) !== 0) priceClass = priceRank;
      return [candidate, { priceRank, priceClass }];
    }),
  );
}

const FREE: Decimal = { digits: 0n, scale: 0 };

/** The candidate's own attempt, unless it is cooling or resting. */
function withCurrentHealth(attempt: Attempt, { health }: RequestDemands): Attempt {
  const now = health(attempt.endpoint.id, attempt.key?.id ?? null);
  return now.state === 'ok' ? attempt : { ...attempt, health: now };
}

function isDeferred({ health }: Attempt): boolean {
  return health.state !== 'ok';
}

function statisticFor(
  { endpoint, key }: Attempt,
  { statistics, preferences: { sort } }: RequestDemands,
): number {
  if (sort !== 'throughput' && sort !== 'latency') return 0;
  const measured = statistics(endpoint.id, key?.id ?? null);
  if (sort === 'latency') return measured?.latencyMs ?? Number.POSITIVE_INFINITY;
  return -(measured?.tokensPerSecond ?? Number.NEGATIVE_INFINITY);
}

/** A candidate with everything else that it is sorted by. */
export interface Ranked {
  readonly candidate: Candidate;
  readonly attempt: Attempt;
  /** Position of the provider in the requested order; infinite if it is not named there. */
  readonly orderPosition: number;
  /** The value that `sort` compares, lower is better; infinite without a measurement. */
  readonly statistic: number;
  /** Affinity of the session to the endpoint, higher is better; 0 without a session. */
  readonly affinity: number;
}

const STATES: readonly EndpointHealth['state'][] = ['ok', 'cooling', 'resting'];
const SECTIONS: readonly Attempt['section'][] = ['prioritized', 'shared', 'fallback'];

function compareRanked(a: Ranked, b: Ranked): number {
  return compareGroups(a, b) || (a.attempt.key === null ? compareShared(a, b) : compareKeyed(a, b));
}

/** Resting candidates last, before them the cooling ones; then by section; degraded endpoints last within a section. */
function compareGroups({ attempt: a }: Ranked, { attempt: b }: Ranked): number {
  return (
    STATES.indexOf(a.health.state) - STATES.indexOf(b.health.state) ||
    SECTIONS.indexOf(a.section) - SECTIONS.indexOf(b.section) ||
    Number(isDegraded(a)) - Number(isDegraded(b))
  );
}

function isDegraded({ endpoint }: Attempt): boolean {
  return endpoint.status === 'degraded';
}

/** On shared capacity: by the requested order, then by statistic or price. */
function compareShared(a: Ranked, b: Ranked): number {
  return compareNumbers(a.orderPosition, b.orderPosition) || compareStatistics(a, b);
}

/**
 * With keys: by the requested order of providers, then by slug; within a provider by `sort_order`; endpoints of a key
 * by statistic or price.
 */
function compareKeyed(a: Ranked, b: Ranked): number {
  return (
    compareNumbers(a.orderPosition, b.orderPosition) ||
    compareText(a.attempt.provider.slug, b.attempt.provider.slug) ||
    compareNumbers(a.attempt.key?.sortOrder ?? 0, b.attempt.key?.sortOrder ?? 0) ||
    compareText(a.attempt.key?.id ?? '', b.attempt.key?.id ?? '') ||
    compareStatistics(a, b)
  );
}

/** Measured endpoints first, the better ones before; then the cheaper; then the session's favourite. */
function compareStatistics(a: Ranked, b: Ranked): number {
  return (
    compareNumbers(a.statistic, b.statistic) ||
    a.candidate.priceClass - b.candidate.priceClass ||
    b.affinity - a.affinity ||
    a.candidate.priceRank - b.candidate.priceRank
  );
}

/** Unlike subtraction, treats equal infinities as equal. */
function compareNumbers(a: number, b: number): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
