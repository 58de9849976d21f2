/** Answers requests of every inference API, streamed or not: admits each, runs its attempts and settles it. */
import { clientClosed } from '../base/problem.js';
import { PushStream, type Sink } from '../base/push-stream.js';
import type { Deadlines } from './attempts/deadlines.js';
import { reportServed, runAttempts, type SuccessfulAttempt } from './attempts/runner.js';
import type { CacheLookup } from './cache/inference-cache.js';
import {
  normalizedOf,
  type UpstreamAdapter,
  type UpstreamAnswer,
  type UpstreamCall,
} from './ports/adapter.js';
import type { AnswerFormat } from './ports/answer-format.js';
import { UpstreamFailure } from './ports/failure.js';
import type { InferenceRequest } from './ports/inference-request.js';
import { type AnswerOutput, outputOf, StreamUsage } from './ports/stream-usage.js';
import type { InferenceDependencies } from './run/dependencies.js';
import { InferenceRun } from './run/run.js';
import { piecesOfCache, wholeOfCache } from './stream/cached-answer.js';
import { type OpenStream, openStream } from './stream/open-stream.js';
import { NOWHERE, Reply } from './stream/reply.js';

/** Every admitted request gets a generation record, whatever its outcome. */
export interface Inference {
  /**
   * Resolves to the whole answer, once its record is on disk. Throws a Problem: what `admit` throws, `client_closed`,
   * `shutting_down`, `content_filter`, `upstream_rate_limited`, `upstream_invalid_request` or `upstream_failed`.
   */
  complete<Whole extends object>(call: InferenceCall<Whole, object>): Promise<Whole>;
  /**
   * The answer in pieces; fails as `complete` does. Its record is on disk before the last pieces. A stream that breaks
   * after its first content ends with pieces that say so, then fails with `upstream_failed` or `shutting_down`. To
   * cancel before the first piece, abort the request's signal: until then closing has no effect.
   */
  stream<Piece extends object>(call: InferenceCall<object, Piece>): PushStream<Piece>;
  /**
   * Ends everything in flight, and everything that comes, with `shutting_down`. Each request is recorded and charged
   * for what it had.
   */
  stop(): void;
  /** Resolves when no request is in flight and all records are on disk. Does not end any request. */
  idle(): Promise<void>;
}

/** A request, and the format of its answer. */
export interface InferenceCall<Whole extends object, Piece extends object> {
  readonly request: InferenceRequest;
  readonly format: AnswerFormat<Whole, Piece>;
  /** Called once the request is admitted, with the id of its generation, and what the cache has; null = not looked for. */
  onAdmitted?(id: string, cache: CacheLookup['kind'] | null): void | Promise<void>;
  /** What a stream fails with, for what it would fail with. Never rejects. */
  failing?(thrown: unknown): Promise<unknown>;
  /** Called before any part of the answer, with the members that the serving attempt has adapted. */
  onServed?(adapted: readonly string[]): void;
}

export function createInference(dependencies: InferenceDependencies): Inference {
  const inFlight = new InFlight();
  return {
    complete: (call) => complete(dependencies, call, inFlight),
    stream: (call) => new AnswerStream(dependencies, call, inFlight),
    stop: () => inFlight.stop(),
    idle: () => inFlight.idle(),
  };
}

/** Rejects at once when the client leaves, whether or not the answer is awaited without it. */
async function complete<Whole extends object>(
  dependencies: InferenceDependencies,
  call: InferenceCall<Whole, object>,
  inFlight: InFlight,
): Promise<Whole> {
  const leave = inFlight.enter();
  let run: InferenceRun;
  try {
    run = await InferenceRun.open(dependencies, call.request, false);
  } catch (thrown) {
    leave();
    throw thrown;
  }
  const { context } = run;
  return new Promise((resolve, reject) => {
    context.deadlines.client.onLeft = () => reject(clientClosed());
    completeRun(run, call, inFlight).finally(leave).then(resolve, reject);
  });
}

async function completeRun<Whole extends object>(
  run: InferenceRun,
  { format, onAdmitted, onServed }: InferenceCall<Whole, object>,
  inFlight: InFlight,
): Promise<Whole> {
  const { deadlines } = run.context;
  inFlight.begin(deadlines);
  try {
    const { cache } = run.reservation;
    await onAdmitted?.(run.id, cache?.kind ?? null);
    if (cache?.kind === 'hit') return await wholeOfCache(run, cache, { format, onServed });
    const { attempt, result, answeredAt } = await runAttempts(
      run.context,
      run.reservation.attempts,
      (adapter, call, tried) =>
        run.watch(tried, new StreamUsage(1, run.boundsAt(tried)), () => wholeAnswer(adapter, call)),
    );
    run.firstContent();
    onServed?.(run.adaptedBy(attempt));
    const output = outputOf(normalizedOf(result), run.boundsAt(attempt));
    reportServed(run.context, { attempt, answeredAt }, output);
    const answered = run.answeredBy(attempt);
    await format.prepare?.(answered);
    run.omit(format.omittedOf?.(answered, result) ?? []);
    const usage = await run.settle(attempt, output, 'answered');
    const answer = withUsage(result, output);
    await run.keep(attempt, answer, usage);
    return format.whole(answered, answer, usage);
  } catch (thrown) {
    if (!run.isRecorded) await run.fail();
    throw thrown;
  } finally {
    inFlight.end(deadlines);
  }
}

/** Replaces the provider's usage by what is believed of it. */
function withUsage(result: UpstreamAnswer, { usage, isMiscounted }: AnswerOutput): UpstreamAnswer {
  if (!isMiscounted) return result;
  return result.format === 'chat'
    ? { ...result, usage }
    : { ...result, normalized: { ...result.normalized, usage } };
}

/** A chat has a choice. What an answer in its own format has to have, its codec has judged. */
async function wholeAnswer(adapter: UpstreamAdapter, call: UpstreamCall): Promise<UpstreamAnswer> {
  const answer = await adapter.complete(call);
  if (answer.format !== 'chat' || answer.choices.length > 0) return answer;
  throw new UpstreamFailure('The answer has no choices', { kind: 'upstream_error', error: 'malformed' });
}

/** The pieces of an answer. Its request is admitted when the first sink is set. */
class AnswerStream<Piece extends object> extends PushStream<Piece> {
  readonly #dependencies: InferenceDependencies;
  readonly #call: InferenceCall<object, Piece>;
  readonly #inFlight: InFlight;
  #reply: Reply<Piece> | undefined;
  #isClosed = false;
  /** Whether the answer is read to its end without a client. */
  #isFinishing = false;
  #ended: Promise<void> = Promise.resolve();

  constructor(dependencies: InferenceDependencies, call: InferenceCall<object, Piece>, inFlight: InFlight) {
    super();
    this.#dependencies = dependencies;
    this.#call = call;
    this.#inFlight = inFlight;
  }

  pipeTo(sink: Sink<Piece>): void {
    const leave = this.#inFlight.enter();
    this.#ended = this.#send(sink)
      .finally(leave)
      .then(
        () => {
          if (!this.#hasNoClient) sink.end();
        },
        async (thrown: unknown) => {
          if (this.#hasNoClient) throw thrown;
          await this.#fail(sink, thrown);
        },
      );
    // Whoever closes the stream learns of it.
    this.#ended.catch(() => undefined);
  }

  resume(): void {
    this.#reply?.resume();
  }

  /** What is read to its end without its client is not waited for. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#reply?.close();
    if (!this.#isFinishing) await this.#ended;
  }

  get #hasNoClient(): boolean {
    return this.#isClosed || this.#isFinishing;
  }

  async #fail(sink: Sink<Piece>, thrown: unknown): Promise<void> {
    const { failing } = this.#call;
    const failure = failing === undefined ? thrown : await failing(thrown);
    if (!this.#isClosed) sink.fail(failure);
  }

  /** The client has left, and the answer goes on. */
  async #goOn(sink: Sink<Piece>): Promise<void> {
    this.#isFinishing = true;
    this.#reply?.close();
    await this.#fail(sink, clientClosed());
    this.#isClosed = true;
  }

  async #send(sink: Sink<Piece>): Promise<void> {
    const { request, format, onAdmitted, onServed } = this.#call;
    const run = await InferenceRun.open(this.#dependencies, request, true);
    const { deadlines } = run.context;
    deadlines.client.onLeft = () => void this.#goOn(sink);
    this.#inFlight.begin(deadlines);
    try {
      const { cache } = run.reservation;
      await onAdmitted?.(run.id, cache?.kind ?? null);
      if (cache?.kind === 'hit') {
        const pieces = await piecesOfCache(run, cache, { format, onServed });
        if (this.#hasNoClient) return;
        sink.ending?.();
        sink.take(pieces);
        return;
      }
      const opened = await openFirst(run);
      onServed?.(run.adaptedBy(opened.attempt));
      const answered = run.answeredBy(opened.attempt);
      await format.prepare?.(answered);
      const writer = format.writer(answered, opened.result.streamUsage);
      this.#reply = new Reply<Piece>(run, opened, writer, this.#hasNoClient ? NOWHERE : sink);
      const sent = this.#reply.send();
      if (this.#hasNoClient) this.#reply.close();
      await sent;
    } finally {
      this.#inFlight.end(deadlines);
    }
  }
}

/** The first attempt with content. If there is none, the failure is recorded and thrown. */
async function openFirst(run: InferenceRun): Promise<SuccessfulAttempt<OpenStream>> {
  const { context } = run;
  const { attempts } = run.reservation;
  try {
    const { deadlines } = context;
    const opened = await runAttempts(context, attempts, (adapter, call, tried) => {
      const streamUsage = new StreamUsage(run.choices, run.boundsAt(tried), run.collector);
      // Clients that speak the provider's own format see what it shows.
      const isReasoningHidden = run.isReasoningHidden && call.format === 'chat';
      const opening = { deadlines, streamUsage, isReasoningHidden };
      return run.watch(tried, streamUsage, () => openStream(adapter, call, opening));
    });
    run.firstContent();
    return opened;
  } catch (thrown) {
    await run.fail();
    throw thrown;
  }
}

/** The requests in flight, so that closing can wait for their records or end them. */
class InFlight {
  #count = 0;
  #isStopped = false;
  readonly #deadlines = new Set<Deadlines>();
  readonly #waiting: (() => void)[] = [];

  /** Adds a request. Call the returned function once, when the request has ended. */
  enter(): () => void {
    this.#count += 1;
    return () => {
      this.#count -= 1;
      if (this.#count === 0) for (const resolve of this.#waiting.splice(0)) resolve();
    };
  }

  /** Call it with the deadlines of each admitted request, and `end` when the request has ended. */
  begin(deadlines: Deadlines): void {
    this.#deadlines.add(deadlines);
    if (this.#isStopped) deadlines.stop();
  }

  end(deadlines: Deadlines): void {
    this.#deadlines.delete(deadlines);
    deadlines.end();
  }

  stop(): void {
    this.#isStopped = true;
    for (const deadlines of this.#deadlines) deadlines.stop();
  }

  /** Resolves when there are none left. */
  idle(): Promise<void> {
    return this.#count === 0 ? Promise.resolve() : new Promise((resolve) => this.#waiting.push(resolve));
  }
}
