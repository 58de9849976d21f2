/** One chat request from its route to its record, whichever way it is answered. */
import type { Ids } from '../base/ids.js';
import type { Attempt, Caller, ProviderPreferences } from '../routing/types.js';
import type { Metered } from '../spend/price.js';
import type { Cost, Price } from './cost.js';
import type { ChatBody, FinishReason, Usage } from './dialect.js';
import type { Generation, GenerationStore } from './generation.js';
import type { Run, RunnerDependencies } from './runner.js';
import type { Produced } from './tally.js';
import type { Timeouts } from './timeouts.js';
import { meter, usageBlock } from './usage.js';
import { Watch } from './watch.js';

/** Who asks. */
export interface ChatCaller extends Caller {
  readonly accountId: string;
  /** The region that the request came in through; `global` for the ordinary host. */
  readonly region: string;
}

/** A request that has passed validation, with what a door knows about it. */
export interface ChatRequest {
  readonly body: ChatBody;
  /** The `provider` member of the body, as routing reads it. */
  readonly preferences: ProviderPreferences;
  readonly caller: ChatCaller;
  readonly requestId: string;
  /** Aborted when the client goes away. */
  readonly signal: AbortSignal;
}

/** What a chat request is served with. */
export interface ChatDependencies extends RunnerDependencies {
  /** The attempts to make, at least one. Throws the Problem that says why there is none. */
  route(request: ChatRequest): Promise<{ readonly attempts: readonly Attempt[] }>;
  readonly price: Price;
  readonly generations: Pick<GenerationStore, 'record'>;
  readonly ids: Ids;
  /** The operator's. */
  readonly timeouts: Timeouts;
}

/** How a turn ended for the client. */
export type Ending = 'answered' | 'broken' | 'cancelled';

/** What is recorded of a turn; null attempt, counts and cost when nobody served. */
interface Result {
  readonly attempt: Attempt | null;
  readonly finishReason: FinishReason | null;
  readonly nativeFinishReason: string | null;
  readonly metered: Metered | null;
  readonly cost: Cost | null;
  readonly isCancelled: boolean;
}

/** Holds the request's identity and time; writes its record exactly once. */
export class Turn {
  readonly id: string;
  readonly startedAt: number;
  readonly run: Run;
  readonly attempts: readonly Attempt[];
  readonly #dependencies: ChatDependencies;
  readonly #request: ChatRequest;
  readonly #isStreamed: boolean;
  #firstContentAt: number | null = null;
  #isRecorded = false;

  /** Routes the request. Throws what `route` throws; nothing is recorded then, since nothing was tried. */
  static async open(
    dependencies: ChatDependencies,
    request: ChatRequest,
    isStreamed: boolean,
  ): Promise<Turn> {
    const startedAt = dependencies.clock.now();
    const { attempts } = await dependencies.route(request);
    return new Turn(dependencies, request, isStreamed, startedAt, attempts);
  }

  private constructor(
    dependencies: ChatDependencies,
    request: ChatRequest,
    isStreamed: boolean,
    startedAt: number,
    attempts: readonly Attempt[],
  ) {
    this.id = `gen-${dependencies.ids.uuid()}`;
    this.startedAt = startedAt;
    this.attempts = attempts;
    this.run = {
      generationId: this.id,
      dependencies,
      watch: new Watch(request.signal, dependencies.timeouts, request.body.provider?.timeouts_ms),
      body: upstreamBody(request.body, isStreamed),
      responses: [],
    };
    this.#dependencies = dependencies;
    this.#request = request;
    this.#isStreamed = isStreamed;
  }

  /** Unix seconds, as answers show it. */
  get created(): number {
    return Math.floor(this.startedAt / 1000);
  }

  /** Whether the record has been written, or its writing begun. */
  get isRecorded(): boolean {
    return this.#isRecorded;
  }

  /** Content has come: the latency ends here. */
  firstContent(): void {
    this.#firstContentAt = this.#dependencies.clock.now();
  }

  /** Records what the attempt that served came to; resolves with the usage block once it is on disk. */
  async settle(attempt: Attempt, produced: Produced, ending: Ending): Promise<Usage> {
    const metered = meter(produced.usage, this.#request.body, produced.characters);
    const cost = this.#dependencies.price(attempt, metered, this.startedAt);
    const finishReason = ending === 'broken' ? 'error' : produced.finishReason;
    const { nativeFinishReason } = produced;
    const isCancelled = ending === 'cancelled';
    await this.#record({ attempt, finishReason, nativeFinishReason, metered, cost, isCancelled });
    return usageBlock(metered, cost);
  }

  /** Records that nobody served. */
  async fail(): Promise<void> {
    const isCancelled = this.run.watch.isClientGone;
    await this.#record({
      attempt: null,
      finishReason: isCancelled ? null : 'error',
      nativeFinishReason: null,
      metered: null,
      cost: null,
      isCancelled,
    });
  }

  async #record(result: Result): Promise<void> {
    this.#isRecorded = true;
    await this.#dependencies.generations.record(this.#generation(result));
  }

  /** One literal: built by spreading, it would cost more than the rest of the request. */
  #generation({ attempt, finishReason, nativeFinishReason, metered, cost, isCancelled }: Result): Generation {
    const { caller, requestId } = this.#request;
    const contentAt = this.#firstContentAt;
    const endedAt = this.#dependencies.clock.now();
    return {
      id: this.id,
      accountId: caller.accountId,
      workspaceId: caller.workspaceId,
      apiKeyHash: caller.apiKeyHash,
      userId: caller.userId,
      requestId,
      model: (attempt ?? this.attempts[0])?.endpoint.modelId ?? this.#request.body.model ?? '',
      provider: attempt?.provider.slug ?? null,
      providerName: attempt?.provider.name ?? null,
      endpoint: attempt?.endpoint.id ?? null,
      byokKeyId: attempt?.key?.id ?? null,
      isStreamed: this.#isStreamed,
      isCancelled,
      finishReason,
      nativeFinishReason,
      latencyMs: contentAt === null ? null : Math.max(0, contentAt - this.startedAt),
      generationTimeMs: contentAt === null ? null : Math.max(0, endedAt - contentAt),
      promptTokens: metered?.promptTokens ?? 0,
      completionTokens: metered?.completionTokens ?? 0,
      reasoningTokens: metered?.reasoningTokens ?? 0,
      cachedTokens: metered?.cachedTokens ?? 0,
      usageNanoUsd: cost?.chargedNanoUsd ?? 0n,
      upstreamInferenceCostNanoUsd: cost?.isByok ? cost.list.totalNanoUsd : null,
      byokFeeNanoUsd: cost?.byokFeeNanoUsd ?? 0n,
      providerResponses: this.run.responses,
      createdAt: this.startedAt,
    };
  }
}

/** The request as providers see it: what only the gateway reads is gone, and how it is answered is the method's say. */
function upstreamBody(body: ChatBody, isStreamed: boolean): ChatBody {
  const { model, models, provider, stream, stream_options, ...rest } = body;
  return isStreamed && stream_options !== undefined ? { ...rest, stream_options } : rest;
}
