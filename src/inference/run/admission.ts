/**
 * Admits a request: plans its attempts, and reserves the max cost of the first one. See
 * `docs/money.md#reservations`.
 */
import { textLength } from '../../base/json/text-length.js';
import { invalid, type Violation } from '../../base/problem.js';
import { runInSlices, yieldAfterSlice } from '../../base/time-slices.js';
import { NO_USES } from '../../formats/shared-capacity/uses.js';
import type { AvailableFunds, MaxCost, SpendRequest } from '../../ledger/admission.js';
import { judge } from '../../ledger/judge.js';
import type { Ledger } from '../../ledger/ledger.js';
import type { ReadBalances, SpendLimit } from '../../ledger/limits.js';
import { neededBy, planAndReserve } from '../../ledger/plan-and-reserve.js';
import type { ReservationQueues } from '../../ledger/reservation-queues.js';
import type { NamedRun } from '../../ledger/runs.js';
import { costDemandOf, notBounded, sizeWithinLimits } from '../../routing/estimate/cost-demand.js';
import { type KnownPrompts, measurePrompt } from '../../routing/estimate/known-prompts.js';
import type { RequestSize } from '../../routing/estimate/request-size.js';
import { countReasons } from '../../routing/plan/exclusion.js';
import { tightened } from '../../routing/plan/model-context.js';
import { type FallbackChain, wholeChain } from '../../routing/plan/plan.js';
import type { Refuse } from '../../routing/router/refusal.js';
import { type RoutedChain, type RouterDependencies, route } from '../../routing/router/router.js';
import type { Attempt, CostDemand, ExclusionCounts } from '../../routing/types.js';
import type { CacheLookup, InferenceCache } from '../cache/inference-cache.js';
import { demandOf, type InferenceRequest, sentBody } from '../ports/inference-request.js';
import { attemptsSupportingReasoning } from '../reasoning/reasoning-refusal.js';
import type { OpenedRun } from './request-limits.js';
import {
  type AdmittedRequest,
  areOfOneKind,
  attemptCost,
  LedgerReservation,
  type Routed,
} from './reservation.js';

export interface AdmissionDependencies {
  /**
   * Returns at least one attempt that the account can pay for with these funds, and the keys that could not be used.
   * Throws a Problem if there is no attempt.
   */
  route(request: InferenceRequest, funds: AvailableFunds, planned: PlannedAs): Promise<Routed>;
  /** `RequestLimits`. */
  readonly limits: {
    ofRequest(request: InferenceRequest, at: number): Promise<readonly SpendLimit[]>;
    open(request: InferenceRequest, run: NamedRun, at: number): Promise<OpenedRun>;
  };
  readonly ledger: Pick<Ledger, 'reserve' | 'extend' | 'raise'>;
  /** Where the ledger reads balances without changing them. */
  readonly balances: ReadBalances;
  /** null where nothing is cached. */
  readonly answers: Pick<InferenceCache, 'lookUp' | 'count'> | null;
  readonly queues: ReservationQueues;
  readonly knownPrompts: KnownPrompts;
  /** The longest time that a request may take. */
  readonly maxRequestMs: number;
}

/** What a request is planned by, besides its content. */
export interface PlannedAs {
  readonly promptTokensLow: number;
  readonly cost: CostDemand | null;
  /** Unix milliseconds. */
  readonly at: number;
}

/** A request with its generation's id, at an instant (Unix milliseconds). */
export interface Admittee {
  readonly request: InferenceRequest;
  readonly id: string;
  readonly at: number;
  readonly isStreamed: boolean;
}

/**
 * Admits a request, which may wait for reservations to end. Throws what `route` throws, a 403 Problem if a limit is spent,
 * 429 `limit_reserved` if it has waited in vain, and `client_closed`.
 */
export type Admit = (admittee: Admittee) => Promise<AdmittedRequest>;

/** A reservation lasts this much longer than its request's deadline, since the request is settled after that. */
const SETTLEMENT_MS = 60_000;

const FREE: MaxCost = { sharedNanoUsd: null, byokNanoUsd: null };

/** Plans as for an account with funds, and once more with the actual funds if the ledger reports less. */
export function createAdmission(dependencies: AdmissionDependencies): Admit {
  return async ({ request, id, at, isStreamed }) => {
    const limits = await dependencies.limits.ofRequest(request, at);
    const { run } = request.attribution;
    const startedAt = performance.now();
    const { facts, preferences } = request;
    const size = sizeWithinLimits(facts.size(isStreamed), preferences, limits.length > 0);
    const cost = costDemandOf(size, preferences, limits.length > 0, at);
    await yieldAfterSlice(startedAt);
    const least = cost === null || cost.unbounded === null ? 0n : (preferences.maxCostNanoUsd ?? 0n);
    const turn = dependencies.queues.arrive({
      accountId: request.caller.accountId,
      signal: request.signal,
      maxMs: facts.timeouts?.total,
      bytes: () => bytesOf(request, size),
    });
    const { accountId, plan } = request.caller;
    const sent = {
      format: request.sent.format,
      body: sentBody(request.sent),
      headers: request.apiHeaders,
    };
    const isReserved = limits.length > 0 || plan !== 'unbilled';
    const prompt = await measurePrompt(accountId, size, sent, isReserved);
    try {
      const admitted = await planAndReserve(at, turn, async (funds) => {
        const { promptTokensLow } = size;
        const routed = await dependencies.route(request, funds, { promptTokensLow, cost, at });
        const [first] = routed.attempts;
        const costOf = (attempt: Attempt) =>
          attemptCost(attempt, dependencies.knownPrompts.sizeFor(attempt, prompt), at, least);
        const maxCost = first === undefined ? FREE : costOf(first);
        // Only now, since a request that can't be made sets no limit.
        const opened = run && (await dependencies.limits.open(request, run, at));
        const applied = opened?.limits ?? limits;
        const spend = spendRequest(request, applied, funds, at, maxCost, opened?.id ?? null);
        const expiresAt = at + dependencies.queues.waitMs + dependencies.maxRequestMs + SETTLEMENT_MS;
        const cache = await lookUp(dependencies, request, routed, at);
        const plan = new LedgerReservation(dependencies, { id, spend, prompt, costOf }, routed, cache);
        if (cache?.kind === 'hit') return { plan, admission: await judge(spend, dependencies.balances) };
        const queue = turn.behind(() => neededBy(spend, areOfOneKind(routed.attempts)));
        const admission =
          queue === undefined
            ? await dependencies.ledger.reserve(id, spend, expiresAt)
            : ({ kind: 'behind', queue } as const);
        return { plan, admission };
      });
      if (admitted.cache !== null) dependencies.answers?.count(admitted.cache);
      return admitted;
    } finally {
      turn.leave();
    }
  };
}

async function lookUp(
  { answers }: Pick<AdmissionDependencies, 'answers'>,
  request: InferenceRequest,
  { attempts, isRetainable }: Routed,
  at: number,
): Promise<CacheLookup | null> {
  return answers === null || !isRetainable ? null : answers.lookUp(request, attempts, at);
}

/**
 * Routes a request to the attempts whose model supports the requested reasoning. Throws a Problem if there are none:
 * `no_endpoint`, `insufficient_credits`, `region_not_allowed`, or a 400.
 */
export function createRequestRoute(
  router: RouterDependencies,
  refuse: Refuse,
): AdmissionDependencies['route'] {
  return async (
    { sent, facts, caller, preferences, session },
    funds,
    { promptTokensLow: promptTokens, cost, at },
  ) => {
    const { region } = caller;
    const { reach, uses } = facts;
    const native = demandOf(sent);
    const anyCost = { caller, region, facts, preferences, promptTokens, session, reach, uses };
    const request = cost === null ? anyCost : Object.assign({ cost }, anyCost);
    const inFormat = <T extends object>(demanded: T) =>
      native === undefined ? demanded : Object.assign({ native }, demanded);
    const chain = await route(router, inFormat(request), funds);
    if (chain.attempts.length === 0) {
      const unbounded = cost?.unbounded ?? null;
      if (unbounded !== null && (await route(router, inFormat(anyCost), funds)).attempts.length > 0) {
        throw invalid([notBounded(unbounded, 'or provider.max_cost_usd where limits apply to that')]);
      }
      const demanded = missingFrom(chain);
      const undemanding = {
        ...anyCost,
        reach: reach.withoutOwned,
        uses: NO_USES,
        ...(native !== undefined && { native: { format: native.format, nativeOnly: [] } }),
      };
      const isDemanding =
        demanded.length > 0 && (await route(router, undemanding, funds)).attempts.length > 0;
      if (isDemanding) throw invalid(demanded);
      throw await refuse(await runInSlices(wholeChain(chain)), {
        caller,
        payment: { plan: caller.plan, at },
        baseUrl: caller.baseUrl,
      });
    }
    const attempts = attemptsSupportingReasoning(
      chain.attempts,
      facts.reasoning,
      preferences.requireParameters,
      native,
    );
    const { unusableKeys, requestedAs } = chain;
    const { zdr, denyDataCollection } = tightened(chain.context.policy, preferences);
    const isRetainable = !zdr && !denyDataCollection;
    const excludedCounts = exclusionCounts(chain, attempts);
    return { attempts, unusableKeys, requestedAs, excludedCounts, isRetainable };
  };
}

/** Attempts whose model does not support the requested reasoning are counted the way `explain` shows them. */
function exclusionCounts({ plans, attempts }: RoutedChain, supporting: readonly Attempt[]): ExclusionCounts {
  const counts = countReasons(plans.map(({ plan }) => plan.excludedForCaller));
  const unsupported = attempts.length - supporting.length;
  if (unsupported === 0) return counts;
  return { ...counts, unsupported_parameter: (counts.unsupported_parameter ?? 0) + unsupported };
}

/** What keeps the request from shared capacity, or from hosts that don't take it, each once. */
function missingFrom({ plans }: FallbackChain): readonly Violation[] {
  const violations = plans.flatMap(({ plan }) =>
    plan.excludedForCaller.flatMap((one) => one.violations ?? []),
  );
  return [...new Map(violations.map((violation) => [violation.field, violation])).values()];
}

/** What a request takes in memory while it waits; one that is no chat is there as a chat too. */
function bytesOf({ sent }: InferenceRequest, { promptTokens }: RequestSize): number {
  const bytes = Math.max(promptTokens, textLength(sentBody(sent)));
  return sent.format === 'chat' ? bytes : 2 * bytes;
}

function spendRequest(
  { caller, attribution }: InferenceRequest,
  limits: readonly SpendLimit[],
  funds: AvailableFunds,
  at: number,
  maxCost: MaxCost,
  runId: string | null,
): SpendRequest {
  const { accountId, workspaceId, apiKeyHash, userId, plan } = caller;
  return {
    payer: { accountId, workspaceId, apiKeyHash, userId, runId, endUser: attribution.endUser },
    plan,
    limits,
    maxCost,
    funds,
    at,
  };
}
