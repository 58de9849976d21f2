/** What is reserved for a request in flight. See `docs/money.md#reservations`. */
import type { NanoUsd } from '../../base/money.js';
import type { Problem } from '../../base/problem.js';
import type { HostWork } from '../../formats/host-work.js';
import type { MaxCost, SpendRequest } from '../../ledger/admission.js';
import type { Ledger } from '../../ledger/ledger.js';
import { heldBy, refusalFor } from '../../ledger/plan-and-reserve.js';
import type { Metered } from '../../ledger/pricing/price.js';
import type { ReservationQueues } from '../../ledger/reservation-queues.js';
import type { KnownPrompts, MeasuredPrompt } from '../../routing/estimate/known-prompts.js';
import {
  completionTokensOf,
  isAnswerLimited,
  maxCostOf,
  maxCostWith,
  promptTokensOf,
  UNBOUNDED_ANSWER_TOKENS,
} from '../../routing/estimate/max-usage.js';
import { decidesPrompt } from '../../routing/estimate/prompt-prefixes.js';
import type { RequestSize } from '../../routing/estimate/request-size.js';
import type { FallbackChain } from '../../routing/plan/plan.js';
import type { RoutedChain } from '../../routing/router/router.js';
import type { Attempt, ExclusionCounts } from '../../routing/types.js';
import type { CacheLookup } from '../cache/inference-cache.js';
import type { CountedBy } from '../ports/generation.js';
import type { AnswerLength } from '../ports/stream-usage.js';

/** What an admitted request may use. */
export interface AdmittedRequest {
  /** At least one. */
  readonly attempts: readonly Attempt[];
  /** The caller's keys that no attempt could be made with. */
  readonly unusableKeys: FallbackChain['unusableKeys'];
  readonly requestedAs: RoutedChain['requestedAs'];
  /** How many candidates the plan excluded, by reason. Keys that do not admit the caller are not counted. */
  readonly excludedCounts: ExclusionCounts;
  /** The host's work that it is to be sent without. */
  readonly leftOutWork: readonly HostWork[];
  /** The run that it is charged to; null = none. */
  readonly runId: string | null;
  /** What the cache has for it; null where it was not looked for. Nothing is reserved for a hit. */
  readonly cache: CacheLookup | null;
  /** Whether the reservation covers an answer of this length by this attempt. */
  covers(attempt: Attempt, length: AnswerLength): boolean;
  /** Reserves what this attempt may cost more than is reserved; what the ledger refuses it with, if it does. */
  reserve(attempt: Attempt): Promise<Problem | undefined>;
  /** Reserves more for the answer of this attempt; false if the ledger refuses. */
  extend(attempt: Attempt): Promise<boolean>;
  /** The tokens that are reserved for this attempt, as far as they count for an answer that is cut. */
  tokensFor(attempt: Attempt): Pick<Metered, 'promptTokens' | 'completionTokens'>;
  /** To be called once its reservation has ended, with what was counted of a request without these members. */
  ended(counted: CountedUsage, leftOut: readonly string[]): void;
}

/** The attempts of a request, and what else its record says of its plan. */
export interface Routed
  extends Pick<AdmittedRequest, 'attempts' | 'unusableKeys' | 'requestedAs' | 'excludedCounts'> {
  /** Whether nothing demands that the request and its answer are retained nowhere. */
  readonly isRetainable: boolean;
}

/** What a request has used, and by whose count; null where nothing was billed. */
export interface CountedUsage {
  readonly attempt: Attempt | null;
  readonly metered: Pick<Metered, 'promptTokens'> | null;
  readonly countedBy: CountedBy | null;
}

/** Where reservations are made, and waited for. */
interface Reserves {
  readonly ledger: Pick<Ledger, 'reserve' | 'extend' | 'raise'>;
  readonly queues: ReservationQueues;
  readonly knownPrompts: KnownPrompts;
}

/** What an attempt may cost at most. At least `leastOfByok` is reserved for one with a BYOK key. */
export function attemptCost(attempt: Attempt, size: RequestSize, at: number, leastOfByok: NanoUsd): MaxCost {
  const price = maxCostOf(size, attempt, at);
  if (attempt.key === null) return { sharedNanoUsd: price, byokNanoUsd: null };
  return { sharedNanoUsd: null, byokNanoUsd: price > leastOfByok ? price : leastOfByok };
}

/** Whether all attempts are on shared capacity, or none is. */
export function areOfOneKind([first, ...others]: readonly Attempt[]): boolean {
  return others.every(({ key }) => (key === null) === (first?.key === null));
}

/** Whether what is reserved covers a cost. */
function isWithin({ sharedNanoUsd, byokNanoUsd }: MaxCost, reserved: MaxCost): boolean {
  return (
    (sharedNanoUsd ?? 0n) <= (reserved.sharedNanoUsd ?? 0n) &&
    (byokNanoUsd ?? 0n) <= (reserved.byokNanoUsd ?? 0n)
  );
}

/** What was reserved for a request. */
interface Reserved {
  readonly id: string;
  readonly spend: SpendRequest;
  readonly prompt: MeasuredPrompt;
  costOf(attempt: Attempt): MaxCost;
}

const NO_WORK: readonly HostWork[] = [];

/** The reservation of an admitted request in the ledger. */
export class LedgerReservation implements AdmittedRequest {
  readonly attempts: AdmittedRequest['attempts'];
  readonly unusableKeys: AdmittedRequest['unusableKeys'];
  readonly requestedAs: AdmittedRequest['requestedAs'];
  readonly excludedCounts: AdmittedRequest['excludedCounts'];
  readonly leftOutWork: AdmittedRequest['leftOutWork'];
  readonly runId: AdmittedRequest['runId'];
  readonly cache: AdmittedRequest['cache'];
  readonly #dependencies: Reserves;
  readonly #reserved: Reserved;
  /** What attempts may cost that the reservation covers. */
  #covered: MaxCost;
  /** Completion tokens that were added to the reservation. */
  #extendedTokens = 0;

  constructor(
    dependencies: Reserves,
    reserved: Reserved,
    { attempts, unusableKeys, requestedAs, excludedCounts }: Routed,
    cache: CacheLookup | null,
  ) {
    this.#dependencies = dependencies;
    this.#reserved = reserved;
    this.#covered = reserved.spend.maxCost;
    this.attempts = attempts;
    this.unusableKeys = cache?.kind === 'hit' ? [] : unusableKeys;
    this.requestedAs = requestedAs;
    this.excludedCounts = excludedCounts;
    this.leftOutWork = reserved.prompt.size.leftOutWork ?? NO_WORK;
    this.runId = reserved.spend.payer.runId;
    this.cache = cache;
  }

  /** The first attempt is what was reserved for. */
  async reserve(attempt: Attempt): Promise<Problem | undefined> {
    if (attempt === this.attempts[0]) return undefined;
    const { id, spend, costOf } = this.#reserved;
    const maxCost = costOf(attempt);
    if (isWithin(maxCost, this.#covered)) return undefined;
    const admission = await this.#dependencies.ledger.raise(id, { ...spend, maxCost });
    if (admission.kind !== 'admitted') return refusalFor(admission, spend.at);
    const { sharedNanoUsd, byokNanoUsd } = this.#covered;
    this.#covered = {
      sharedNanoUsd: maxCost.sharedNanoUsd ?? sharedNanoUsd,
      byokNanoUsd: maxCost.byokNanoUsd ?? byokNanoUsd,
    };
    return undefined;
  }

  /** An answer with a limit is trusted to stay within it, until even the low estimate exceeds it. */
  covers(attempt: Attempt, { completionTokensHigh, completionTokensLow }: AnswerLength): boolean {
    const isLimited = isAnswerLimited(this.#reserved.prompt.size, attempt);
    return (isLimited ? completionTokensLow : completionTokensHigh) <= this.#coveredTokens(attempt);
  }

  async extend(attempt: Attempt): Promise<boolean> {
    const { key } = attempt;
    const { id, spend, prompt } = this.#reserved;
    const { size } = prompt;
    const coveredTokens = this.#coveredTokens(attempt);
    const addedTokens = UNBOUNDED_ANSWER_TOKENS * size.answers;
    const price = (completionTokens: number) => maxCostWith(size, attempt, spend.at, completionTokens);
    const addedNanoUsd = price(coveredTokens + addedTokens) - price(coveredTokens);
    const maxCost: MaxCost =
      key === null
        ? { sharedNanoUsd: addedNanoUsd, byokNanoUsd: null }
        : { sharedNanoUsd: null, byokNanoUsd: addedNanoUsd };
    const isReserved = await this.#dependencies.ledger.extend(id, { ...spend, maxCost });
    if (isReserved) this.#extendedTokens += addedTokens;
    return isReserved;
  }

  tokensFor(attempt: Attempt): Pick<Metered, 'promptTokens' | 'completionTokens'> {
    const size = this.#dependencies.knownPrompts.sizeFor(attempt, this.#reserved.prompt);
    return {
      promptTokens: promptTokensOf(size, attempt.endpoint),
      completionTokens: this.#coveredTokens(attempt),
    };
  }

  ended({ attempt, metered, countedBy }: CountedUsage, leftOut: readonly string[]): void {
    const { knownPrompts, queues } = this.#dependencies;
    // Another try may have it again.
    const isWhole = !leftOut.some(decidesPrompt);
    if (isWhole && attempt !== null && metered !== null && countedBy === 'provider')
      knownPrompts.learn(attempt, this.#reserved.prompt, metered.promptTokens);
    queues.ended(() => heldBy(this.#reserved.spend));
  }

  #coveredTokens(attempt: Attempt): number {
    return completionTokensOf(this.#reserved.prompt.size, attempt) + this.#extendedTokens;
  }
}
