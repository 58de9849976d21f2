/** One request from its admission to its record, streamed or not. */
import { elapsedMs } from '../base/clock.js';
import type { Ids } from '../base/ids.js';
import { type Lane, laneOf } from '../catalog/formats.js';
import type { ChatBody, FinishReason, Usage } from '../formats/chat/types.js';
import { listPrice, type Metered } from '../ledger/price.js';
import type { Charge, Settlement } from '../ledger/settlement.js';
import type { UnusableKey } from '../routing/plan/plan.js';
import type { Attempt } from '../routing/types.js';
import type { Admit, Reservation } from './admission.js';
import type { Answered } from './answer-format.js';
import { Deadlines, type Timeouts } from './attempts/deadlines.js';
import type { AttemptContext, RunnerDependencies } from './attempts/runner.js';
import type { InferenceRequest } from './inference-request.js';
import { isReasoningHidden } from './reasoning/reasoning.js';
import type {
  CountedBy,
  GenerationStatus,
  GenerationStore,
  ProviderResponse,
  UnsettledGeneration,
} from './settlement/generation.js';
import { countedBy, meter, usageBlock, usageSoFar } from './settlement/usage.js';
import type { AnswerOutput } from './stream/stream-usage.js';

export interface InferenceDependencies extends RunnerDependencies {
  readonly admit: Admit;
  readonly generations: Pick<GenerationStore, 'settle'>;
  readonly ids: Ids;
  /** The operator's, which requests may tighten. */
  readonly timeouts: Timeouts;
}

/** More than any provider gives. */
const MAX_CHOICES = 128;

/** How a run ended for the client; `cut`: its reservation could not be extended. */
export type Ending = 'answered' | 'cut' | 'broken' | 'cancelled';

/** What is recorded of a run; attempt, counts and charge are null when all attempts failed. */
interface Result {
  readonly attempt: Attempt | null;
  readonly finishReason: FinishReason | null;
  readonly nativeFinishReason: string | null;
  readonly metered: Metered | null;
  readonly charge: Charge | null;
  readonly countedBy: CountedBy | null;
  readonly status: GenerationStatus;
}

/** Gives the request its generation id and start time; writes its record exactly once. */
export class InferenceRun {
  readonly id: string;
  readonly startedAt: number;
  readonly context: AttemptContext;
  readonly reservation: Reservation;
  readonly #dependencies: InferenceDependencies;
  readonly #request: InferenceRequest;
  readonly #isStreamed: boolean;
  readonly isReasoningHidden: boolean;
  /** How many choices are requested. */
  readonly choices: number;
  #firstContentAt: number | null = null;
  /** The attempt that the client left after the provider had accepted it, and what it had told by then. */
  #left: { readonly attempt: Attempt; readonly output: AnswerOutput } | undefined;
  #isRecorded = false;

  /** Admits the request. Throws what `admit` throws; then nothing is recorded, since nothing was attempted. */
  static async open(
    dependencies: InferenceDependencies,
    request: InferenceRequest,
    isStreamed: boolean,
  ): Promise<InferenceRun> {
    const id = `gen-${dependencies.ids.uuid()}`;
    const startedAt = dependencies.clock.now();
    const reservation = await dependencies.admit({ request, id, at: startedAt, isStreamed });
    return new InferenceRun(dependencies, request, isStreamed, { id, startedAt, reservation });
  }

  private constructor(
    dependencies: InferenceDependencies,
    request: InferenceRequest,
    isStreamed: boolean,
    { id, startedAt, reservation }: Pick<InferenceRun, 'id' | 'startedAt' | 'reservation'>,
  ) {
    this.id = id;
    this.startedAt = startedAt;
    this.reservation = reservation;
    this.context = {
      generationId: this.id,
      dependencies,
      deadlines: new Deadlines(
        request.signal,
        dependencies.timeouts,
        request.body.provider?.timeouts_ms,
        isStreamed,
      ),
      body: upstreamBody(request.body, isStreamed),
      ...(request.native !== undefined && { native: request.native, lastDecides: true }),
      ...(request.betas !== undefined && { betas: request.betas }),
      mayAdapt: request.body.provider?.adapt !== false && !request.preferences.requireParameters,
      responses: reservation.unusableKeys.map(credentialResponse),
    };
    this.#dependencies = dependencies;
    this.#request = request;
    this.#isStreamed = isStreamed;
    this.isReasoningHidden = isReasoningHidden(request.body);
    this.choices = Number.isSafeInteger(request.body.n)
      ? Math.min(Math.max(Number(request.body.n), 1), MAX_CHOICES)
      : 1;
  }

  answeredBy(attempt: Attempt): Answered {
    const { modelId } = attempt.endpoint;
    return {
      id: this.id,
      created: Math.floor(this.startedAt / 1000),
      model: this.reservation.requestedAs.get(modelId) ?? modelId,
      attempt,
      lane: this.#laneOf(attempt),
    };
  }

  #laneOf({ endpoint, provider }: Attempt): Lane {
    return laneOf(this.#request.native?.format ?? 'chat', endpoint, provider);
  }

  /** Whether the record is written or being written. */
  get isRecorded(): boolean {
    return this.#isRecorded;
  }

  /** Makes an attempt, and remembers it where the client leaves after the provider has accepted it. */
  async watch<T>(attempt: Attempt, output: AnswerOutput, make: () => Promise<T>): Promise<T> {
    try {
      return await make();
    } catch (thrown) {
      const { deadlines } = this.context;
      if (deadlines.isClientGone && deadlines.hasAnswer) this.#left = { attempt, output };
      throw thrown;
    }
  }

  /** To be called at the first content, which ends the latency. */
  firstContent(): void {
    this.#firstContentAt = this.#dependencies.clock.now();
  }

  /** Records and charges the output of the successful attempt. Resolves to its usage block once the record is on disk. */
  async settle(attempt: Attempt, output: AnswerOutput, ending: Ending): Promise<Usage> {
    const usage = ending === 'answered' ? output.usage : usageSoFar(output);
    const metered = meter(usage, this.#request.body, output);
    const list = listPrice(attempt.endpoint.pricing, metered, this.startedAt);
    const isByok = attempt.key !== null;
    const charge = { plan: this.#request.caller.plan, isByok, costNanoUsd: list.totalNanoUsd };
    const { spend } = await this.#record({
      attempt,
      finishReason: finishReasonOf(output, ending),
      nativeFinishReason: output.nativeFinishReason,
      metered,
      charge,
      countedBy: countedBy(output.usage, ending === 'answered'),
      status: ending === 'cancelled' ? 'cancelled' : 'ok',
    });
    return usageBlock(metered, { isByok, list, chargedNanoUsd: spend.creditNanoUsd });
  }

  /** Records that all attempts failed, or charges the one that the client left before its first content. */
  async fail(): Promise<void> {
    if (this.#left !== undefined) {
      await this.settle(this.#left.attempt, this.#left.output, 'cancelled');
      return;
    }
    const isCancelled = this.context.deadlines.isClientGone;
    await this.#record({
      attempt: null,
      finishReason: isCancelled ? null : 'error',
      nativeFinishReason: null,
      metered: null,
      charge: null,
      countedBy: null,
      status: isCancelled ? 'cancelled' : 'failed',
    });
  }

  async #record(result: Result): Promise<Settlement> {
    this.#isRecorded = true;
    return this.#dependencies.generations.settle(this.#generation(result), result.charge);
  }

  /** A single literal, since building it by spreading would take longer than the rest of the request. */
  #generation(result: Result): UnsettledGeneration {
    const { attempt, finishReason, nativeFinishReason, metered, status } = result;
    const { caller, requestId, session: sessionId, body, native } = this.#request;
    // A chat has one lane.
    const lane = native === undefined || attempt === null ? null : this.#laneOf(attempt);
    const firstContentAt = this.#firstContentAt;
    const endedAt = this.#dependencies.clock.now();
    return {
      id: this.id,
      accountId: caller.accountId,
      workspaceId: caller.workspaceId,
      apiKeyHash: caller.apiKeyHash,
      userId: caller.userId,
      requestId,
      model: (attempt ?? this.reservation.attempts[0])?.endpoint.modelId ?? body.model ?? '',
      requestedModel: body.model ?? body.models?.[0] ?? '',
      provider: attempt?.provider.slug ?? null,
      providerName: attempt?.provider.name ?? null,
      endpoint: attempt?.endpoint.id ?? null,
      byokKeyId: attempt?.key?.id ?? null,
      isStreamed: this.#isStreamed,
      status,
      reason: null,
      httpStatus: null,
      message: null,
      api: native?.format ?? 'chat',
      lane,
      omitted: lane === 'translated' ? (native?.omitted ?? []) : [],
      sessionId,
      traceId: null,
      ip: null,
      requests: 1,
      finishReason,
      nativeFinishReason,
      latencyMs: firstContentAt === null ? null : elapsedMs(this.startedAt, firstContentAt),
      generationTimeMs: firstContentAt === null ? null : elapsedMs(firstContentAt, endedAt),
      promptTokens: metered?.promptTokens ?? 0,
      completionTokens: metered?.completionTokens ?? 0,
      reasoningTokens: metered?.reasoningTokens ?? 0,
      cachedTokens: metered?.cachedTokens ?? 0,
      countedBy: result.countedBy,
      excludedCounts: this.reservation.excludedCounts,
      providerResponses: this.context.responses,
      createdAt: this.startedAt,
    };
  }
}

/** Shows in the record why a key of the caller was not used, so that shared capacity may have been charged. */
function credentialResponse({ provider, endpointId, byokKeyId }: UnusableKey): ProviderResponse {
  return {
    provider: provider.slug,
    provider_name: provider.name,
    status: null,
    error: 'credential',
    is_byok: true,
    byok_key_id: byokKeyId,
    endpoint: endpointId,
    latency_ms: 0,
    adapted: null,
  };
}

function finishReasonOf({ finishReason }: AnswerOutput, ending: Ending): FinishReason | null {
  if (ending === 'broken') return 'error';
  return ending === 'cut' ? 'length' : finishReason;
}

/**
 * The request without the gateway's own members but `model`, which each attempt replaces. Whether it is streamed depends on
 * the adapter's method instead.
 */
function upstreamBody(body: ChatBody, isStreamed: boolean): ChatBody {
  const { models, provider, stream, stream_options, ...rest } = body;
  return isStreamed && stream_options !== undefined ? Object.assign(rest, { stream_options }) : rest;
}
