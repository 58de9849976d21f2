/** Runs one request from its admission to its record. */
import { type Lane, laneOf } from '../../catalog/formats.js';
import type { Usage } from '../../formats/chat/types.js';
import type { UsageBounds } from '../../ledger/pricing/possible-usage.js';
import type { Settlement } from '../../ledger/settlement.js';
import type { Attempt } from '../../routing/types.js';
import { Deadlines } from '../attempts/deadlines.js';
import { LAST_DECIDES } from '../attempts/problems.js';
import type { AttemptContext } from '../attempts/runner.js';
import { upstreamRequest } from '../attempts/upstream-body.js';
import { CollectedChat } from '../cache/collected-chat.js';
import { type FoundAnswer, MAX_ANSWER_CHARACTERS } from '../cache/inference-cache.js';
import { saidBy } from '../facts/chat-facts.js';
import { normalizedOf, type UpstreamAnswer, type UpstreamUsage } from '../ports/adapter.js';
import type { Answered } from '../ports/answer-format.js';
import type { UnsettledGeneration } from '../ports/generation.js';
import type { InferenceRequest } from '../ports/inference-request.js';
import { type AnswerCollector, type AnswerOutput, outputOf } from '../ports/stream-usage.js';
import { cachedUsage, countedBy, isFullyCounted, usageBlock } from '../ports/usage.js';
import { isReasoningHidden } from '../reasoning/reasoning.js';
import { type Ending, endedWith, endingOfFailed, recordedEnd } from '../settlement/ending.js';
import type { Unsettled } from '../settlement/stream-journal.js';
import { credentialResponse } from '../settlement/unusable-key-response.js';
import { type CountedAttempt, countedCut, isAccepted, isCut, outlivesClient, owedOf } from './cut-answer.js';
import type { InferenceDependencies } from './dependencies.js';
import { recordOfRun } from './record.js';
import type { AdmittedRequest } from './reservation.js';
import { chargeOf, type Measured, measured, NOTHING_SERVED, type Result } from './result.js';

/** Gives the request its generation id and start time; writes its record exactly once. */
export class InferenceRun {
  readonly id: string;
  readonly startedAt: number;
  readonly context: AttemptContext;
  readonly reservation: AdmittedRequest;
  readonly #dependencies: InferenceDependencies;
  readonly #request: InferenceRequest;
  readonly #isStreamed: boolean;
  readonly isReasoningHidden: boolean;
  readonly choices: number;
  #firstContentAt: number | null = null;
  /** The attempt to charge if none has content: it was interrupted after its provider had accepted it. */
  #interrupted: CountedAttempt | undefined;
  #isRecorded = false;
  /** Parts that are missing because a mark could not be read, or made. */
  #omitted: readonly string[] = [];
  /** For a stream that has run for a while: the provider's first count of the prompt, or an estimate. */
  #promptTokens: number | undefined;

  /** Admits the request. Throws what `admit` throws. In that case nothing is recorded, since nothing was attempted. */
  static async open(
    dependencies: InferenceDependencies,
    request: InferenceRequest,
    isStreamed: boolean,
  ): Promise<InferenceRun> {
    const id = `gen-${dependencies.ids.uuid()}`;
    const startedAt = dependencies.clock.now();
    const reservation = await dependencies.admit({ request, id, at: startedAt, isStreamed });
    const admitted = { id, startedAt, reservation };
    if (request.sent.format === 'chat' || request.sent.open === undefined)
      return new InferenceRun(dependencies, request, isStreamed, admitted);
    const { chat, omitted } = await request.sent.open();
    const opened = { ...request, ...saidBy({ ...request.sent, chat }) };
    const run = new InferenceRun(dependencies, opened, isStreamed, admitted);
    run.omit(omitted);
    return run;
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
    const { sent, facts } = request;
    this.context = {
      generationId: this.id,
      dependencies,
      accountId: request.caller.accountId,
      passedOver: new Map(),
      reserve: (attempt) => reservation.reserve(attempt),
      deadlines: new Deadlines(request.signal, dependencies.timeouts, facts.timeouts, isStreamed, {
        departures: dependencies.departures,
        owner: request.caller,
      }),
      outlivesClient: ({ key }) => outlivesClient(key, facts.onDisconnect, dependencies.onDisconnect),
      sent: upstreamRequest(sent, isStreamed, reservation.leftOutWork),
      facts,
      lastDecides: LAST_DECIDES[sent.format],
      wantsOneModel: sent.format !== 'chat' && sent.wantsOneModel === true,
      apiHeaders: request.apiHeaders,
      session: request.session,
      mayAdapt: facts.mayAdapt && !request.preferences.requireParameters,
      responses: reservation.unusableKeys.map(credentialResponse),
      adapted: new Map(),
      modes: new Map(),
    };
    this.#dependencies = dependencies;
    this.#request = request;
    this.#isStreamed = isStreamed;
    this.isReasoningHidden = isReasoningHidden(facts.reasoning);
    this.choices = facts.choices;
  }

  answeredBy(attempt: Attempt): Answered {
    const { modelId } = attempt.endpoint;
    return {
      ...{ id: this.id, attempt, lane: this.#laneOf(attempt), clock: this.#dependencies.clock },
      created: Math.floor(this.startedAt / 1000),
      model: this.reservation.requestedAs.get(modelId) ?? modelId,
    };
  }

  /** The members that the attempt sent differently than the client did, or left out. */
  adaptedBy(attempt: Attempt): readonly string[] {
    return this.context.adapted.get(attempt)?.all ?? [];
  }

  #laneOf({ endpoint, provider }: Attempt): Lane {
    return laneOf(this.#request.sent.format, endpoint, provider);
  }

  /** Saves the output of a stream in case the process ends, until the returned function is called. */
  follow(attempt: Attempt, output: AnswerOutput): () => void {
    return this.#dependencies.journal.follow({
      get characters() {
        return output.characters;
      },
      soFar: () => this.#soFar(attempt, output),
    });
  }

  /** The most that an answer of this attempt may have used. */
  boundsAt({ endpoint }: Attempt): UsageBounds {
    return this.#request.facts.boundsAt(endpoint);
  }

  /** Whether the record is written, or being written. */
  get isRecorded(): boolean {
    return this.#isRecorded;
  }

  /** Makes an attempt. If it is interrupted after the provider has accepted it, it is remembered. */
  async watch<T>(attempt: Attempt, output: AnswerOutput, make: () => Promise<T>): Promise<T> {
    try {
      return await make();
    } catch (thrown) {
      const { deadlines } = this.context;
      if (isAccepted(deadlines))
        this.#interrupted = owedOf(
          this.#interrupted,
          this.#counted(attempt, output, endingOfFailed(deadlines)),
        );
      throw thrown;
    }
  }

  /** Collects a streamed answer that may be kept. */
  get collector(): AnswerCollector | undefined {
    const isMissed = this.reservation.cache?.kind === 'miss';
    return isMissed ? new CollectedChat(MAX_ANSWER_CHARACTERS) : undefined;
  }

  /** Keeps a complete answer for requests that come again, where this one was looked for. Call it once that is settled. */
  async keep(attempt: Attempt, answer: UpstreamAnswer | undefined, usage: Usage): Promise<void> {
    const { cache } = this.reservation;
    if (cache?.kind !== 'miss' || answer === undefined) return;
    const kept = {
      answer,
      usage,
      adapted: this.adaptedBy(attempt),
      omitted: this.#omittedBy(attempt),
    };
    await this.#dependencies.answers?.keep(cache, this.#request, attempt, kept);
  }

  /** Records an answer of the cache, for which nobody is charged. Resolves to its usage block once that is on disk. */
  async settleCached(hit: FoundAnswer): Promise<Usage> {
    const { answer, usage } = hit.kept;
    const { finishReason, nativeFinishReason } = outputOf(normalizedOf(answer), this.boundsAt(hit.attempt));
    const ended = recordedEnd('answered', this.context.deadlines.client.hasLeft);
    await Promise.all([
      this.#record({ ...NOTHING_SERVED, finishReason, nativeFinishReason, ...ended }),
      this.#dependencies.answers?.used(hit),
    ]);
    return cachedUsage(usage);
  }

  /** What the attempt left out of the request, and what is missing for lack of a mark. */
  #omittedBy(attempt: Attempt): readonly string[] {
    const leftOut = this.context.adapted.get(attempt)?.leftOut ?? [];
    return this.#omitted.length === 0 ? leftOut : [...new Set([...leftOut, ...this.#omitted])];
  }

  /** Adds names to what the record says was left out of the request or its answer. */
  omit(names: readonly string[]): void {
    if (names.length > 0) this.#omitted = [...this.#omitted, ...names];
  }

  /** Call it at the first content, which ends the latency. */
  firstContent(): void {
    this.#firstContentAt = this.#dependencies.clock.now();
  }

  /** Records and charges the output of the successful attempt. Resolves to its usage block once that is on disk. */
  async settle(attempt: Attempt, output: AnswerOutput, ending: Ending): Promise<Usage> {
    return this.#settle(this.#counted(attempt, output, ending), ending);
  }

  async #settle({ attempt, output, measured }: CountedAttempt, ending: Ending): Promise<Usage> {
    const { spend } = await this.#record(this.#resultOf(attempt, output, ending, measured));
    const charged = { isByok: attempt.key !== null, chargedNanoUsd: spend.creditNanoUsd };
    return usageBlock(measured.metered, { ...charged, list: measured.list });
  }

  #counted(attempt: Attempt, output: AnswerOutput, ending: Ending): CountedAttempt {
    const { deadlines } = this.context;
    const { reasoning } = this.#request.facts;
    const cut = { deadlines, reservation: this.reservation, reasoning, rates: this.#dependencies.rates };
    const counted = isCut(deadlines, ending) ? countedCut(attempt, output, cut) : output;
    return { attempt, output, measured: this.#measured(attempt, counted) };
  }

  /** How the answer is charged and recorded if nothing more of it is sent. */
  #soFar(attempt: Attempt, output: AnswerOutput): Unsettled {
    this.#promptTokens ??= output.usage.promptTokens ?? this.#request.facts.promptTokens();
    const measured = this.#measured(attempt, output, { promptTokens: this.#promptTokens });
    const result = this.#resultOf(attempt, output, 'broken', measured);
    return { generation: this.#generation(result), charge: result.charge };
  }

  #measured(attempt: Attempt, output: AnswerOutput, known: UpstreamUsage = {}): Measured {
    const [bounds, mode] = [this.boundsAt(attempt), this.context.modes.get(attempt)];
    const { facts } = this.#request;
    return measured(attempt, output, known, { facts, startedAt: this.startedAt, bounds, mode });
  }

  #resultOf(attempt: Attempt, output: AnswerOutput, ending: Ending, measured: Measured): Result {
    const { metered, mode } = measured;
    return {
      attempt,
      finishReason: endedWith(output, ending),
      nativeFinishReason: output.nativeFinishReason,
      metered,
      charge: chargeOf(measured, this.#request.caller.plan, attempt.key !== null),
      countedBy: countedBy(output, ending === 'answered' || isFullyCounted(output), metered),
      mode,
      ...recordedEnd(ending, this.context.deadlines.client.hasLeft),
    };
  }

  /** Records that all attempts failed. If one was interrupted before its first content, it is charged. */
  async fail(): Promise<void> {
    const { deadlines } = this.context;
    const ending = endingOfFailed(deadlines);
    if (this.#interrupted !== undefined) return void (await this.#settle(this.#interrupted, ending));
    await this.#record({
      ...NOTHING_SERVED,
      finishReason: deadlines.interruption?.kind === 'cancelled' ? null : 'error',
      ...recordedEnd(ending, deadlines.client.hasLeft),
    });
  }

  async #record(result: Result): Promise<Settlement> {
    this.#isRecorded = true;
    const settled = await this.#dependencies.generations.settle(this.#generation(result), result.charge);
    this.reservation.ended(result, result.attempt === null ? [] : this.#omittedBy(result.attempt));
    return settled;
  }

  #generation(result: Result): UnsettledGeneration {
    const { attempt } = result;
    const { sent } = this.#request;
    return recordOfRun(this.#request, result, {
      id: this.id,
      isStreamed: this.#isStreamed,
      reservation: this.reservation,
      // A chat has only one lane.
      lane: sent.format === 'chat' || attempt === null ? null : this.#laneOf(attempt),
      omitted: attempt === null ? NOTHING_OMITTED : this.#omittedBy(attempt),
      passedOver: this.context.passedOver,
      responses: this.context.responses,
      startedAt: this.startedAt,
      firstContentAt: this.#firstContentAt,
      endedAt: this.#dependencies.clock.now(),
    });
  }
}

const NOTHING_OMITTED: readonly string[] = [];
