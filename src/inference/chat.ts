/** Answers chats, streamed or not: admits each, runs its attempts and settles it. */
import type { Problem } from '../base/problem.js';
import type { ChatAnswer, ChatChunk } from '../formats/chat/types.js';
import type { Attempt } from '../routing/types.js';
import type { UpstreamAdapter, UpstreamAnswer, UpstreamCall } from './attempts/adapter.js';
import { UpstreamFailure } from './attempts/failure.js';
import {
  amendResponse,
  brokenStream,
  failureOf,
  finalProblem,
  reportFailure,
  reportSuccess,
  runAttempts,
  type SuccessfulAttempt,
} from './attempts/runner.js';
import type { ChatRequest } from './chat-request.js';
import { type ChatDependencies, ChatRun, type Ending } from './chat-run.js';
import { type OpenStream, openStream, StreamForwarder } from './stream/stream-forwarder.js';
import { outputOf, StreamUsage } from './stream/stream-usage.js';

/** Every admitted request leaves a generation record, whatever its outcome. */
export interface Chat {
  /**
   * The whole answer; its record is on disk before the promise resolves. Throws a Problem: what `admit` throws,
   * `client_closed`, `content_filter`, `upstream_rate_limited`, `upstream_invalid_request` or `upstream_failed`.
   */
  complete(request: ChatRequest): Promise<ChatAnswer>;
  /**
   * The answer in chunks. Nothing happens before the first pull, which throws as `complete` does.
   * The last chunk carries the usage and no choices; the record is on disk before it. A stream that breaks after its
   * first content ends with a chunk that carries `error`, then throws `upstream_failed`. To cancel while a chunk is
   * awaited, abort the request's signal: returning the generator takes effect only when that chunk has come.
   */
  stream(request: ChatRequest): AsyncGenerator<ChatChunk, void, undefined>;
  /** Resolves when no request is in flight and all records are on disk. Cancels none. */
  idle(): Promise<void>;
}

export function createChat(dependencies: ChatDependencies): Chat {
  const inFlight = new InFlight();
  return {
    complete: (request) => completeChat(dependencies, request).finally(inFlight.enter()),
    stream: (request) => streamChat(dependencies, request, inFlight),
    idle: () => inFlight.idle(),
  };
}

async function completeChat(dependencies: ChatDependencies, request: ChatRequest): Promise<ChatAnswer> {
  const run = await ChatRun.open(dependencies, request, false);
  try {
    const { attempt, result } = await runAttempts(
      run.context,
      run.reservation.attempts,
      (adapter, call, tried) => run.watch(tried, new StreamUsage(), () => wholeAnswer(adapter, call)),
    );
    run.firstContent();
    reportSuccess(run.context, attempt);
    const usage = await run.settle(attempt, outputOf(result), 'answered');
    return {
      ...result.members,
      id: run.id,
      object: 'chat.completion',
      created: run.created,
      model: attempt.endpoint.modelId,
      provider: attempt.provider.slug,
      choices: result.choices,
      usage,
      system_fingerprint: result.systemFingerprint,
    };
  } catch (thrown) {
    if (!run.isRecorded) await run.fail();
    throw thrown;
  } finally {
    run.context.deadlines.end();
  }
}

async function wholeAnswer(adapter: UpstreamAdapter, call: UpstreamCall): Promise<UpstreamAnswer> {
  const answer = await adapter.complete(call);
  if (answer.choices.length > 0) return answer;
  throw new UpstreamFailure('The answer has no choices', { kind: 'upstream_error', error: 'malformed' });
}

async function* streamChat(
  dependencies: ChatDependencies,
  request: ChatRequest,
  inFlight: InFlight,
): AsyncGenerator<ChatChunk, void, undefined> {
  const leave = inFlight.enter();
  try {
    const run = await ChatRun.open(dependencies, request, true);
    let reply: Reply | undefined;
    try {
      reply = new Reply(run, await openFirst(run));
      for (let chunk = await reply.next(); chunk !== undefined; chunk = await reply.next()) yield chunk;
    } finally {
      try {
        await reply?.close();
      } finally {
        run.context.deadlines.end();
      }
    }
  } finally {
    leave();
  }
}

/** The first attempt with content. When there is none, the failure is recorded and thrown. */
async function openFirst(run: ChatRun): Promise<SuccessfulAttempt<OpenStream>> {
  const { context } = run;
  const { attempts } = run.reservation;
  try {
    const { deadlines } = context;
    const opened = await runAttempts(context, attempts, (adapter, call, tried) => {
      const streamUsage = new StreamUsage(run.choices);
      const opening = { deadlines, streamUsage, isReasoningHidden: run.isReasoningHidden };
      return run.watch(tried, streamUsage, () => openStream(adapter, call, opening));
    });
    run.firstContent();
    return opened;
  } catch (thrown) {
    await run.fail();
    throw thrown;
  }
}

/** The chunks of one open stream, to the last one with the usage or the error. */
class Reply {
  readonly #run: ChatRun;
  readonly #attempt: Attempt;
  readonly #streamUsage: StreamUsage;
  readonly #forwarder: StreamForwarder;
  #problem: Problem | undefined;
  #isCut = false;

  constructor(run: ChatRun, { attempt, result: stream }: SuccessfulAttempt<OpenStream>) {
    const { endpoint, provider } = attempt;
    const head = { id: run.id, created: run.created, model: endpoint.modelId, provider: provider.slug };
    this.#run = run;
    this.#attempt = attempt;
    this.#streamUsage = stream.streamUsage;
    this.#forwarder = new StreamForwarder(stream, head, run.context.deadlines);
  }

  /** The next chunk; undefined after the last one of a complete answer. */
  async next(): Promise<ChatChunk | undefined> {
    if (this.#problem !== undefined) throw this.#problem;
    if (this.#run.isRecorded) return undefined;
    if (this.#isCut) return this.#complete('cut');
    if (!(await this.#isCovered())) return this.#cutOff();
    let chunk: ChatChunk | undefined;
    try {
      chunk = await this.#forwarder.next();
    } catch (thrown) {
      return this.#breakOff(failureOf(thrown, this.#run.context.deadlines));
    }
    return chunk ?? this.#complete('answered');
  }

  /** Releases the connection to the provider. Records what was sent when the client left before the end. */
  async close(): Promise<void> {
    await this.#forwarder.release();
    if (!this.#run.isRecorded) await this.#settle('cancelled');
  }

  /** Whether the reservation covers the answer so far; extends it where needed. */
  async #isCovered(): Promise<boolean> {
    const { reservation } = this.#run;
    while (!reservation.covers(this.#attempt, this.#streamUsage)) {
      if (this.#streamUsage.isComplete) return true;
      if (!(await reservation.extend(this.#attempt))) return false;
    }
    return true;
  }

  /** Ends the answer with `finish_reason: length` and releases the connection to the provider at once. */
  async #cutOff(): Promise<ChatChunk> {
    this.#isCut = true;
    const chunk = this.#forwarder.chunk(this.#forwarder.endChoices('length'));
    await this.#forwarder.release();
    return chunk;
  }

  async #complete(ending: 'answered' | 'cut'): Promise<ChatChunk> {
    reportSuccess(this.#run.context, this.#attempt);
    const usage = await this.#settle(ending);
    return { ...this.#forwarder.lastChunk(), usage };
  }

  async #breakOff(failure: UpstreamFailure): Promise<ChatChunk> {
    const { context } = this.#run;
    if (failure.kind === 'cancelled') {
      await this.#settle('cancelled');
      throw finalProblem(failure, context);
    }
    reportFailure(context, this.#attempt, failure);
    amendResponse(context, failure);
    this.#problem = brokenStream(failure, context);
    await this.#settle('broken');
    const { httpStatus: code, message } = this.#problem;
    const { providerError: provider_error } = failure;
    const error = { code, message, ...(provider_error !== null && { metadata: { provider_error } }) };
    return { ...this.#forwarder.chunk(this.#forwarder.endChoices('error')), error };
  }

  #settle(ending: Ending) {
    return this.#run.settle(this.#attempt, this.#streamUsage, ending);
  }
}

/** Counts the requests in flight, so that closing can wait for their records. */
class InFlight {
  #count = 0;
  readonly #waiting: (() => void)[] = [];

  /** Adds a request; the returned function must be called once, when it has ended. */
  enter(): () => void {
    this.#count += 1;
    return () => {
      this.#count -= 1;
      if (this.#count === 0) for (const resolve of this.#waiting.splice(0)) resolve();
    };
  }

  /** Resolves when there are none. */
  idle(): Promise<void> {
    return this.#count === 0 ? Promise.resolve() : new Promise((resolve) => this.#waiting.push(resolve));
  }
}
