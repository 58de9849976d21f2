/** Answers chats, streamed or not: admits each, runs its attempts and settles it. */
import { PushStream, type Sink } from '../base/push-stream.js';
import type { ChatAnswer, ChatChunk } from '../formats/chat/types.js';
import type { UpstreamAdapter, UpstreamAnswer, UpstreamCall } from './attempts/adapter.js';
import { UpstreamFailure } from './attempts/failure.js';
import { reportSuccess, runAttempts, type SuccessfulAttempt } from './attempts/runner.js';
import type { ChatRequest } from './chat-request.js';
import { type ChatDependencies, ChatRun } from './chat-run.js';
import { type OpenStream, openStream } from './stream/open-stream.js';
import { Reply } from './stream/reply.js';
import { outputOf, StreamUsage } from './stream/stream-usage.js';

/** Every admitted request leaves a generation record, whatever its outcome. */
export interface Chat {
  /**
   * The whole answer; its record is on disk before the promise resolves. Throws a Problem: what `admit` throws,
   * `client_closed`, `content_filter`, `upstream_rate_limited`, `upstream_invalid_request` or `upstream_failed`.
   */
  complete(request: ChatRequest): Promise<ChatAnswer>;
  /**
   * The answer in chunks; fails as `complete` does. The last chunk carries the usage and no choices; the record is on
   * disk before it. A stream that breaks after its first content ends with a chunk that carries `error`, then fails with
   * `upstream_failed`. To cancel before the first chunk, abort the request's signal: closing takes effect after it.
   */
  stream(request: ChatRequest): PushStream<ChatChunk>;
  /** Resolves when no request is in flight and all records are on disk. Cancels none. */
  idle(): Promise<void>;
}

export function createChat(dependencies: ChatDependencies): Chat {
  const inFlight = new InFlight();
  return {
    complete: (request) => completeChat(dependencies, request).finally(inFlight.enter()),
    stream: (request) => new ChatStream(dependencies, request, inFlight),
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

/** The chunks of a request, which is opened with the first sink. */
class ChatStream extends PushStream<ChatChunk> {
  readonly #dependencies: ChatDependencies;
  readonly #request: ChatRequest;
  readonly #inFlight: InFlight;
  #reply: Reply | undefined;
  #isClosed = false;
  #ended: Promise<void> = Promise.resolve();

  constructor(dependencies: ChatDependencies, request: ChatRequest, inFlight: InFlight) {
    super();
    this.#dependencies = dependencies;
    this.#request = request;
    this.#inFlight = inFlight;
  }

  pipeTo(sink: Sink<ChatChunk>): void {
    const leave = this.#inFlight.enter();
    this.#ended = this.#send(sink)
      .finally(leave)
      .then(
        () => {
          if (!this.#isClosed) sink.end();
        },
        (thrown: unknown) => {
          if (this.#isClosed) throw thrown;
          sink.fail(thrown);
        },
      );
    // Whoever closes the stream is told.
    this.#ended.catch(() => undefined);
  }

  resume(): void {
    this.#reply?.resume();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#reply?.close();
    await this.#ended;
  }

  async #send(sink: Sink<ChatChunk>): Promise<void> {
    const run = await ChatRun.open(this.#dependencies, this.#request, true);
    try {
      this.#reply = new Reply(run, await openFirst(run), sink);
      const sent = this.#reply.send();
      if (this.#isClosed) this.#reply.close();
      await sent;
    } finally {
      run.context.deadlines.end();
    }
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
