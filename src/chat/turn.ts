/** One chat request from its route to its record, whichever way it is answered. */
import type { Ids } from '../base/ids.js';
import type { Attempt, Caller, ProviderPreferences } from '../routing/types.js';
import type { Cost, Price } from './cost.js';
import type { ChatBody, Usage } from './dialect.js';
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

export interface ChatRequest {
  readonly body: ChatBody;
  /** The `provider` member of the body, as routing reads it. */
  readonly preferences: ProviderPreferences;
  readonly caller: ChatCaller;
  readonly requestId: string;
  /** Aborted when the client goes away. */
  readonly signal: AbortSignal;
}

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
    await this.#record({
      ...this.#common(),
      model: attempt.endpoint.modelId,
      provider: attempt.provider.slug,
      providerName: attempt.provider.name,
      endpoint: attempt.endpoint.id,
      byokKeyId: attempt.key?.id ?? null,
      isCancelled: ending === 'cancelled',
      finishReason: ending === 'broken' ? 'error' : produced.finishReason,
      nativeFinishReason: produced.nativeFinishReason,
      promptTokens: metered.promptTokens,
      completionTokens: metered.completionTokens,
      reasoningTokens: metered.reasoningTokens,
      cachedTokens: metered.cachedTokens,
      ...moneyOf(cost),
    });
    return usageBlock(metered, cost);
  }

  /** Records that nobody served. */
  async fail(): Promise<void> {
    const isCancelled = this.run.watch.isClientGone;
    await this.#record({
      ...this.#common(),
      model: this.attempts[0]?.endpoint.modelId ?? this.#request.body.model ?? '',
      provider: null,
      providerName: null,
      endpoint: null,
      byokKeyId: null,
      isCancelled,
      finishReason: isCancelled ? null : 'error',
      nativeFinishReason: null,
      promptTokens: 0,
      completionTokens: 0,
      reasoningTokens: 0,
      cachedTokens: 0,
      usageNanoUsd: 0n,
      upstreamInferenceCostNanoUsd: null,
      byokFeeNanoUsd: 0n,
    });
  }

  #common() {
    const { caller, requestId } = this.#request;
    const firstContentAt = this.#firstContentAt;
    return {
      id: this.id,
      accountId: caller.accountId,
      workspaceId: caller.workspaceId,
      apiKeyHash: caller.apiKeyHash,
      userId: caller.userId,
      requestId,
      isStreamed: this.#isStreamed,
      latencyMs: firstContentAt === null ? null : Math.max(0, firstContentAt - this.startedAt),
      generationTimeMs:
        firstContentAt === null ? null : Math.max(0, this.#dependencies.clock.now() - firstContentAt),
      providerResponses: this.run.responses,
      createdAt: this.startedAt,
    };
  }

  async #record(generation: Generation): Promise<void> {
    this.#isRecorded = true;
    await this.#dependencies.generations.record(generation);
  }
}

/** The request as providers see it: what only the gateway reads is gone, and how it is answered is the method's say. */
function upstreamBody(body: ChatBody, isStreamed: boolean): ChatBody {
  const { model, models, provider, stream, stream_options, ...rest } = body;
  return isStreamed && stream_options !== undefined ? { ...rest, stream_options } : rest;
}

function moneyOf(cost: Cost) {
  return {
    usageNanoUsd: cost.chargedNanoUsd,
    upstreamInferenceCostNanoUsd: cost.isByok ? cost.list.totalNanoUsd : null,
    byokFeeNanoUsd: cost.byokFeeNanoUsd,
  };
}
