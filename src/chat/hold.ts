/** What a chat is let in with: its attempts, and money kept back for the dearest of them (interface section 5). */
import { restAfter } from '../base/turns.js';
import type { Endpoint } from '../catalog/types.js';
import type { Chain } from '../routing/chain.js';
import {
  completionTokensOf,
  extentOf,
  type RequestSize,
  requestSize,
  UNBOUNDED_ANSWER_TOKENS,
} from '../routing/request-size.js';
import type { Attempt } from '../routing/types.js';
import type { Means, SpendRequest, WorstCase } from '../spend/admission.js';
import type { SpendBook } from '../spend/book.js';
import { limitReached, type SpendLimit } from '../spend/limits.js';
import { worstPrice } from '../spend/worst-case.js';
import type { ChatRequest } from './turn.js';

/** What admission works with. */
export interface AdmissionParts {
  /**
   * The attempts to make when the account can pay with these means, at least one, and what could not be made into one.
   * Throws the Problem that says why there is none.
   */
  route(
    request: ChatRequest,
    means: Means,
    size: RequestSize,
    at: number,
  ): Promise<Pick<Chain, 'attempts' | 'unusableKeys'>>;
  /** Every limit and budget that applies to the request. */
  limitsOf(request: ChatRequest): Promise<readonly SpendLimit[]>;
  readonly book: Pick<SpendBook, 'reserve' | 'extend'>;
  /** How long a reservation lasts when nobody ends it: longer than any request. */
  readonly reservationMs: number;
}

/** Lets a request in, under the id of its generation. Throws what `route` throws, and 403 where a limit is reached. */
export type Admit = (request: ChatRequest, id: string, at: number) => Promise<Hold>;

/** Completion tokens of an answer so far, which hardly any provider tells before the end. */
export interface AnswerLength {
  readonly completionTokensHigh: number;
  readonly completionTokensLow: number;
}

/** A request that was let in. */
export interface Hold {
  /** At least one. */
  readonly attempts: readonly Attempt[];
  /** Keys of the caller's that no attempt can be made with. */
  readonly unusableKeys: Chain['unusableKeys'];
  /** Whether what is kept back covers an answer of this length by this attempt. */
  covers(attempt: Attempt, length: AnswerLength): boolean;
  /** Keeps more back for this attempt; false where that is refused. */
  extend(attempt: Attempt): Promise<boolean>;
}

/** Admission as the composition wires it: plans for an account that can pay, and anew where it can't. */
export function createAdmission(parts: AdmissionParts): Admit {
  return async (request, id, at) => {
    const limits = await parts.limitsOf(request);
    const beganAt = performance.now();
    const size = requestSize(request.body);
    await restAfter(beganAt);
    let means: Means = { hasCredits: true, hasByokAllowance: true };
    for (;;) {
      const routed = await parts.route(request, means, size, at);
      const asked = spendRequest(request, limits, means, at, worstOf(routed.attempts, size, at));
      const admission = await parts.book.reserve(id, asked, at + parts.reservationMs);
      switch (admission.kind) {
        case 'admitted':
          return new KeptBack(parts.book, id, asked, routed, size);
        case 'blocked':
          throw limitReached(admission.limit, at);
        case 'means':
          means = admission.means;
      }
    }
  };
}

class KeptBack implements Hold {
  readonly attempts: Hold['attempts'];
  readonly unusableKeys: Hold['unusableKeys'];
  readonly #book: AdmissionParts['book'];
  readonly #id: string;
  readonly #asked: SpendRequest;
  readonly #size: RequestSize;
  #further = 0;

  constructor(
    book: AdmissionParts['book'],
    id: string,
    asked: SpendRequest,
    { attempts, unusableKeys }: Pick<Hold, 'attempts' | 'unusableKeys'>,
    size: RequestSize,
  ) {
    this.#book = book;
    this.#id = id;
    this.#asked = asked;
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
    const { at } = this.#asked;
    const covered = this.#covered(endpoint);
    const further = UNBOUNDED_ANSWER_TOKENS * this.#size.answers;
    const price = (completionTokens: number) =>
      worstPrice(endpoint.pricing, extentOf(this.#size, endpoint, completionTokens), at);
    const more = price(covered + further) - price(covered);
    const worst =
      key === null ? { sharedNanoUsd: more, byokNanoUsd: null } : { sharedNanoUsd: null, byokNanoUsd: more };
    const isKept = await this.#book.extend(this.#id, { ...this.#asked, worst });
    if (isKept) this.#further += further;
    return isKept;
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
function worstOf(attempts: readonly Attempt[], size: RequestSize, at: number): WorstCase {
  let sharedNanoUsd: bigint | null = null;
  let byokNanoUsd: bigint | null = null;
  for (const { endpoint, key } of attempts) {
    const extent = extentOf(size, endpoint, completionTokensOf(size, endpoint));
    const price = worstPrice(endpoint.pricing, extent, at);
    if (key === null) sharedNanoUsd = sharedNanoUsd === null || price > sharedNanoUsd ? price : sharedNanoUsd;
    else byokNanoUsd = byokNanoUsd === null || price > byokNanoUsd ? price : byokNanoUsd;
  }
  return { sharedNanoUsd, byokNanoUsd };
}

function spendRequest(
  { caller }: ChatRequest,
  limits: readonly SpendLimit[],
  means: Means,
  at: number,
  worst: WorstCase,
): SpendRequest {
  const { accountId, workspaceId, apiKeyHash, userId, plan } = caller;
  return { payer: { accountId, workspaceId, apiKeyHash, userId }, plan, limits, worst, means, at };
}
