/**
 * Admits a request: plans its attempts, and reserves the max cost of the most expensive one. See
 * `docs/money.md#reservations`.
 */
import type { NanoUsd } from '../../base/money.js';
import { invalid, type Violation } from '../../base/problem.js';
import { runInSlices, yieldAfterSlice } from '../../base/time-slices.js';
import {
  type AvailableFunds,
  type MaxCost,
  planAndReserve,
  type SpendRequest,
} from '../../ledger/admission.js';
import type { Ledger } from '../../ledger/ledger.js';
import type { SpendLimit } from '../../ledger/limits.js';
import { costDemandOf, notBounded } from '../../routing/estimate/cost-demand.js';
import {
  completionTokensOf,
  isAnswerLimited,
  maxCostOf,
  maxCostWith,
  UNBOUNDED_ANSWER_TOKENS,
} from '../../routing/estimate/max-usage.js';
import type { RequestSize } from '../../routing/estimate/request-size.js';
import { countReasons } from '../../routing/plan/exclusion.js';
import { type FallbackChain, wholeChain } from '../../routing/plan/plan.js';
import type { Refuse } from '../../routing/router/refusal.js';
import { type RoutedChain, type RouterDependencies, route } from '../../routing/router/router.js';
import type { Attempt, CostDemand, ExclusionCounts } from '../../routing/types.js';
import { demandOf, type InferenceRequest } from '../ports/inference-request.js';
import type { AnswerLength } from '../ports/stream-usage.js';
import { attemptsSupportingReasoning } from '../reasoning/reasoning-refusal.js';

type Routed = Pick<AdmittedRequest, 'attempts' | 'unusableKeys' | 'requestedAs' | 'excludedCounts'>;

export interface AdmissionDependencies {
  /**
   * Returns at least one attempt that the account can pay for with these funds, and the keys that could not be used.
   * Throws a Problem if there is no attempt.
   */
  route(request: InferenceRequest, funds: AvailableFunds, planned: PlannedAs): Promise<Routed>;
  /** All limits and budgets that apply to the request. */
  limitsOf(request: InferenceRequest): Promise<readonly SpendLimit[]>;
  readonly ledger: Pick<Ledger, 'reserve' | 'extend'>;
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

/** Admits a request. Throws what `route` throws, and a 403 Problem if a limit is reached. */
export type Admit = (admittee: Admittee) => Promise<AdmittedRequest>;

/** What an admitted request may use. */
export interface AdmittedRequest {
  /** At least one. */
  readonly attempts: readonly Attempt[];
  /** The caller's keys that no attempt could be made with. */
  readonly unusableKeys: FallbackChain['unusableKeys'];
  readonly requestedAs: RoutedChain['requestedAs'];
  /** How many candidates the plan excluded, by reason. Keys that do not admit the caller are not counted. */
  readonly excludedCounts: ExclusionCounts;
  /** Whether the reservation covers an answer of this length by this attempt. */
  covers(attempt: Attempt, length: AnswerLength): boolean;
  /** Reserves more for this attempt; false if the ledger refuses. */
  extend(attempt: Attempt): Promise<boolean>;
}

/** A reservation lasts this much longer than its request's deadline, since the request is settled after that. */
const SETTLEMENT_MS = 60_000;

/** Plans as for an account with funds, and once more with the actual funds if the ledger reports less. */
export function createAdmission(dependencies: AdmissionDependencies): Admit {
  return async ({ request, id, at, isStreamed }) => {
    const limits = await dependencies.limitsOf(request);
    const startedAt = performance.now();
    const { facts, preferences } = request;
    const size = facts.size(isStreamed);
    const cost = costDemandOf(size, preferences, limits.length > 0, at);
    await yieldAfterSlice(startedAt);
    const least = cost === null || cost.unbounded === null ? 0n : (preferences.maxCostNanoUsd ?? 0n);
    return planAndReserve(at, async (funds) => {
      const { promptTokensLow } = size;
      const routed = await dependencies.route(request, funds, { promptTokensLow, cost, at });
      const maxCost = maxCostOfAll(routed.attempts, size, at, least);
      const spend = spendRequest(request, limits, funds, at, maxCost);
      const expiresAt = at + dependencies.maxRequestMs + SETTLEMENT_MS;
      const admission = await dependencies.ledger.reserve(id, spend, expiresAt);
      return { plan: new LedgerReservation(dependencies.ledger, id, spend, routed, size), admission };
    });
  };
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
    const { reach } = facts;
    const native = demandOf(sent);
    const anyCost = { caller, region, facts, preferences, promptTokens, session, reach };
    const request = cost === null ? anyCost : Object.assign({ cost }, anyCost);
    const inFormat = <T extends object>(demanded: T) =>
      native === undefined ? demanded : Object.assign({ native }, demanded);
    const chain = await route(router, inFormat(request), funds);
    if (chain.attempts.length === 0) {
      const unbounded = cost?.unbounded ?? null;
      if (unbounded !== null && (await route(router, inFormat(anyCost), funds)).attempts.length > 0) {
        throw invalid([notBounded(unbounded, 'or provider.max_cost_usd where limits apply to that')]);
      }
      const demanded = [...(native?.nativeOnly ?? []), ...needsOfOwnKey(chain)];
      const undemanding = {
        ...anyCost,
        reach: reach.withoutOwned,
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
    return { attempts, unusableKeys, requestedAs, excludedCounts: exclusionCounts(chain, attempts) };
  };
}

/** Attempts whose model does not support the requested reasoning are counted the way `explain` shows them. */
function exclusionCounts({ plans, attempts }: RoutedChain, supporting: readonly Attempt[]): ExclusionCounts {
  const counts = countReasons(plans.map(({ plan }) => plan.excludedForCaller));
  const unsupported = attempts.length - supporting.length;
  if (unsupported === 0) return counts;
  return { ...counts, unsupported_parameter: (counts.unsupported_parameter ?? 0) + unsupported };
}

/** What keeps the request from shared capacity, each once. */
function needsOfOwnKey({ plans }: FallbackChain): readonly Violation[] {
  const violations = plans.flatMap(({ plan }) =>
    plan.excludedForCaller.flatMap((one) => one.violations ?? []),
  );
  return [...new Map(violations.map((violation) => [violation.field, violation])).values()];
}

/**
 * The max cost of the most expensive attempt on shared capacity, and of the most expensive one with a BYOK key, for
 * which at least `leastOfByok` is reserved.
 */
function maxCostOfAll(
  attempts: readonly Attempt[],
  size: RequestSize,
  at: number,
  leastOfByok: NanoUsd,
): MaxCost {
  let sharedNanoUsd: bigint | null = null;
  let byokNanoUsd: bigint | null = null;
  for (const attempt of attempts) {
    const price = maxCostOf(size, attempt, at);
    if (attempt.key === null) {
      sharedNanoUsd = sharedNanoUsd === null || price > sharedNanoUsd ? price : sharedNanoUsd;
    } else {
      const most = price > leastOfByok ? price : leastOfByok;
      byokNanoUsd = byokNanoUsd === null || most > byokNanoUsd ? most : byokNanoUsd;
    }
  }
  return { sharedNanoUsd, byokNanoUsd };
}

function spendRequest(
  { caller }: InferenceRequest,
  limits: readonly SpendLimit[],
  funds: AvailableFunds,
  at: number,
  maxCost: MaxCost,
): SpendRequest {
  const { accountId, workspaceId, apiKeyHash, userId, plan } = caller;
  return { payer: { accountId, workspaceId, apiKeyHash, userId }, plan, limits, maxCost, funds, at };
}

class LedgerReservation implements AdmittedRequest {
  readonly attempts: AdmittedRequest['attempts'];
  readonly unusableKeys: AdmittedRequest['unusableKeys'];
  readonly requestedAs: AdmittedRequest['requestedAs'];
  readonly excludedCounts: AdmittedRequest['excludedCounts'];
  readonly #ledger: AdmissionDependencies['ledger'];
  readonly #id: string;
  readonly #spend: SpendRequest;
  readonly #size: RequestSize;
  /** Completion tokens that were added to the reservation. */
  #extendedTokens = 0;

  constructor(
    ledger: AdmissionDependencies['ledger'],
    id: string,
    spend: SpendRequest,
    { attempts, unusableKeys, requestedAs, excludedCounts }: Routed,
    size: RequestSize,
  ) {
    this.#ledger = ledger;
    this.#id = id;
    this.#spend = spend;
    this.attempts = attempts;
    this.unusableKeys = unusableKeys;
    this.requestedAs = requestedAs;
    this.excludedCounts = excludedCounts;
    this.#size = size;
  }

  /** An answer with a limit is trusted to stay within it, until even the low estimate exceeds it. */
  covers(attempt: Attempt, { completionTokensHigh, completionTokensLow }: AnswerLength): boolean {
    const tokens = isAnswerLimited(this.#size, attempt) ? completionTokensLow : completionTokensHigh;
    return tokens <= this.#coveredTokens(attempt);
  }

  async extend(attempt: Attempt): Promise<boolean> {
    const { key } = attempt;
    const { at } = this.#spend;
    const coveredTokens = this.#coveredTokens(attempt);
    const addedTokens = UNBOUNDED_ANSWER_TOKENS * this.#size.answers;
    const price = (completionTokens: number) => maxCostWith(this.#size, attempt, at, completionTokens);
    const addedNanoUsd = price(coveredTokens + addedTokens) - price(coveredTokens);
    const maxCost: MaxCost =
      key === null
        ? { sharedNanoUsd: addedNanoUsd, byokNanoUsd: null }
        : { sharedNanoUsd: null, byokNanoUsd: addedNanoUsd };
    const isReserved = await this.#ledger.extend(this.#id, { ...this.#spend, maxCost });
    if (isReserved) this.#extendedTokens += addedTokens;
    return isReserved;
  }

  #coveredTokens(attempt: Attempt): number {
    return completionTokensOf(this.#size, attempt) + this.#extendedTokens;
  }
}
