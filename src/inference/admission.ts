/** What a chat is let in with: its attempts, and money kept back for the dearest of them (interface section 5). */
import { yieldAfterSlice } from '../base/time-slices.js';
import type { Endpoint } from '../catalog/types.js';
import { type AvailableFunds, type MaxCost, planAndReserve, type SpendRequest } from '../ledger/admission.js';
import type { Ledger } from '../ledger/ledger.js';
import type { SpendLimit } from '../ledger/limits.js';
import { maxCostAt } from '../ledger/price.js';
import {
  completionTokensOf,
  maxUsageOf,
  type RequestSize,
  requestSize,
  UNBOUNDED_ANSWER_TOKENS,
} from '../routing/estimate/request-size.js';
import type { FallbackChain } from '../routing/plan/plan.js';
import { refusal } from '../routing/refusal.js';
import { type RouterDependencies, route } from '../routing/router.js';
import type { Attempt } from '../routing/types.js';
import type { ChatRequest } from './chat-run.js';
import { attemptsThatReason } from './reasoning/reasoning-refusal.js';

/** What admission works with. */
export interface AdmissionDependencies {
  /**
   * The attempts to make when the account can pay with these means, at least one, and what could not be made into one.
   * Throws the Problem that says why there is none.
   */
  route(
    request: ChatRequest,
    funds: AvailableFunds,
    size: RequestSize,
    at: number,
  ): Promise<Pick<FallbackChain, 'attempts' | 'unusableKeys'>>;
  /** Every limit and budget that applies to the request. */
  limitsOf(request: ChatRequest): Promise<readonly SpendLimit[]>;
  readonly ledger: Pick<Ledger, 'reserve' | 'extend'>;
  /** The longest that a request takes. */
  readonly maxRequestMs: number;
}

/** Lets a request in, under the id of its generation. Throws what `route` throws, and 403 where a limit is reached. */
export type Admit = (request: ChatRequest, id: string, at: number) => Promise<Reservation>;

/** Completion tokens of an answer so far, which hardly any provider tells before the end. */
export interface AnswerLength {
  readonly completionTokensHigh: number;
  readonly completionTokensLow: number;
}

/** A request that was let in. */
export interface Reservation {
  /** At least one. */
  readonly attempts: readonly Attempt[];
  /** Keys of the caller's that no attempt can be made with. */
  readonly unusableKeys: FallbackChain['unusableKeys'];
  /** Whether what is kept back covers an answer of this length by this attempt. */
  covers(attempt: Attempt, length: AnswerLength): boolean;
  /** Keeps more back for this attempt; false where that is refused. */
  extend(attempt: Attempt): Promise<boolean>;
}

/** A request whose time is over still has to be settled: its reservation lasts longer. */
const SETTLING_MS = 60_000;

/** Admission as the composition wires it: plans for an account that can pay, and anew where it can't. */
export function createAdmission(dependencies: AdmissionDependencies): Admit {
  return async (request, id, at) => {
    const limits = await dependencies.limitsOf(request);
    const beganAt = performance.now();
    const size = requestSize(request.body);
    await yieldAfterSlice(beganAt);
    return planAndReserve(at, async (funds) => {
      const routed = await dependencies.route(request, funds, size, at);
      const spend = spendRequest(request, limits, funds, at, maxCostOf(routed.attempts, size, at));
      const admission = await dependencies.ledger.reserve(
        id,
        spend,
        at + dependencies.maxRequestMs + SETTLING_MS,
      );
      return { plan: new LedgerReservation(dependencies.ledger, id, spend, routed, size), admission };
    });
  };
}

class LedgerReservation implements Reservation {
  readonly attempts: Reservation['attempts'];
  readonly unusableKeys: Reservation['unusableKeys'];
  readonly #ledger: AdmissionDependencies['ledger'];
  readonly #id: string;
  readonly #spend: SpendRequest;
  readonly #size: RequestSize;
  #further = 0;

  constructor(
    ledger: AdmissionDependencies['ledger'],
    id: string,
    spend: SpendRequest,
    { attempts, unusableKeys }: Pick<Reservation, 'attempts' | 'unusableKeys'>,
    size: RequestSize,
  ) {
    this.#ledger = ledger;
    this.#id = id;
    this.#spend = spend;
    this.attempts = attempts;
    this.unusableKeys = unusableKeys;
    this.#size = size;
  }

  /** An answer that has a bound is held to it by its provider, unless it surely goes beyond. */
  covers({ endpoint }: Attempt, { completionTokensHigh, completionTokensLow }: AnswerLength): boolean {
    const tokens = isBounded(this.#size, endpoint) ? completionTokensLow : completionTokensHigh;
    return tokens <= this.#covered(endpoint);
  }

  async extend(attempt: Attempt): Promise<boolean> {
    const { endpoint, key } = attempt;
    const { at } = this.#spend;
    const covered = this.#covered(endpoint);
    const further = UNBOUNDED_ANSWER_TOKENS * this.#size.answers;
    const price = (completionTokens: number) =>
      maxCostAt(endpoint.pricing, maxUsageOf(this.#size, endpoint, completionTokens), at);
    const more = price(covered + further) - price(covered);
    const maxCost =
      key === null ? { sharedNanoUsd: more, byokNanoUsd: null } : { sharedNanoUsd: null, byokNanoUsd: more };
    const isReserved = await this.#ledger.extend(this.#id, { ...this.#spend, maxCost });
    if (isReserved) this.#further += further;
    return isReserved;
  }

  #covered(endpoint: Endpoint): number {
    return completionTokensOf(this.#size, endpoint) + this.#further;
  }
}

/** Whether the provider itself is to end the answer within what is kept back from the start. */
function isBounded({ maxTokens }: RequestSize, { maxCompletionTokens }: Endpoint): boolean {
  return (
    maxTokens !== null || (maxCompletionTokens !== null && maxCompletionTokens <= UNBOUNDED_ANSWER_TOKENS)
  );
}

/** The dearest attempt of each way to pay. */
function maxCostOf(attempts: readonly Attempt[], size: RequestSize, at: number): MaxCost {
  let sharedNanoUsd: bigint | null = null;
  let byokNanoUsd: bigint | null = null;
  for (const { endpoint, key } of attempts) {
    const maxUsage = maxUsageOf(size, endpoint, completionTokensOf(size, endpoint));
    const price = maxCostAt(endpoint.pricing, maxUsage, at);
    if (key === null) sharedNanoUsd = sharedNanoUsd === null || price > sharedNanoUsd ? price : sharedNanoUsd;
    else byokNanoUsd = byokNanoUsd === null || price > byokNanoUsd ? price : byokNanoUsd;
  }
  return { sharedNanoUsd, byokNanoUsd };
}

function spendRequest(
  { caller }: ChatRequest,
  limits: readonly SpendLimit[],
  funds: AvailableFunds,
  at: number,
  maxCost: MaxCost,
): SpendRequest {
  const { accountId, workspaceId, apiKeyHash, userId, plan } = caller;
  return { payer: { accountId, workspaceId, apiKeyHash, userId }, plan, limits, maxCost, funds, at };
}

/**
 * Routes chats: the attempts of the plan that can reason as the request demands. Throws a Problem where there is none:
 * `no_endpoint`, `insufficient_credits`, `region_not_allowed`, or a 400.
 */
export function createChatRoute(router: RouterDependencies): AdmissionDependencies['route'] {
  return async ({ body, caller, preferences }, funds, { promptTokensLow: promptTokens }, at) => {
    const { region } = caller;
    const { model = null, models = null } = body;
    const request = { caller, region, body, model, models, preferences, promptTokens };
    const chain = await route(router, request, funds);
    if (chain.attempts.length === 0) throw refusal(chain, { plan: caller.plan, at });
    const attempts = attemptsThatReason(chain.attempts, body, preferences.requireParameters);
    return { attempts, unusableKeys: chain.unusableKeys };
  };
}
