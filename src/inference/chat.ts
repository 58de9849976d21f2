/** Chat over the plan (spec 4.5, interface sections 5 and 6): an answer in one piece, or as it is produced. */

import type { Problem } from '../base/problem.js';
import type { ChatAnswer, ChatChunk } from '../formats/chat/types.js';
import type { UpstreamAnswer } from './attempts/adapter.js';
import { UpstreamFailure } from './attempts/failure.js';
import {
  amendResponse,
  brokenStream,
  type Exchange,
  failureOf,
  finalProblem,
  reportFailure,
  reportSuccess,
  type Served,
  serve,
} from './attempts/runner.js';
import { type ChatDependencies, type ChatRequest, ChatRun, type Ending } from './chat-run.js';
import { type OpenStream, openStream, StreamForwarder } from './stream/stream-forwarder.js';
import { producedBy } from './stream/stream-usage.js';

/** Both ways to answer a chat. Every request that is routed leaves a generation record, whatever becomes of it. */
export interface Chat {
  /**
   * The whole answer; its record is on disk before the promise resolves. Throws a Problem: what `route` throws,
   * `client_closed`, `content_filter`, `upstream_rate_limited`, `upstream_invalid_request` or `upstream_failed`.
   */
  complete(request: ChatRequest): Promise<ChatAnswer>;
  /**
   * The answer in chunks. Nothing happens before the first pull, which throws as `complete` does when nobody serves.
   * The last chunk carries the usage and no choices; the record is on disk before it. A stream that breaks after its
   * first content ends with a chunk that carries `error`, then throws `upstream_failed`. To give up while a chunk is
   * awaited, abort the request's signal; returning the generator takes effect when that chunk has come.
   */
  stream(request: ChatRequest): AsyncGenerator<ChatChunk, void, undefined>;
  /** Resolves once no request is under way and the record of each is on disk. It ends none of them. */
  idle(): Promise<void>;
}

/** Chat as the composition wires it. */
export function createChat(dependencies: ChatDependencies): Chat {
  const inFlight = new InFlight();
  return {
    complete: (request) => completeChat(dependencies, request).finally(inFlight.enter()),
    stream: (request) => streamChat(dependencies, request, inFlight),
    idle: () => inFlight.none(),
  };
}

async function completeChat(dependencies: ChatDependencies, request: ChatRequest): Promise<ChatAnswer> {
  const run = await ChatRun.open(dependencies, request, false);
  try {
    const { attempt, result } = await serve(run.context, run.reservation.attempts, exchange);
    run.firstContent();
    reportSuccess(run.context, attempt);
    const usage = await run.settle(attempt, producedBy(result), 'answered');
    return {
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

const exchange: Exchange<UpstreamAnswer> = async (adapter, call) => {
  const answer = await adapter.complete(call);
  if (answer.choices.length > 0) return answer;
  throw new UpstreamFailure('The answer has no choices', { kind: 'upstream_error', error: 'malformed' });
};

/** A chat's answer as it is produced; the guarantees are `Chat.stream`'s. */
export async function* streamChat(
  dependencies: ChatDependencies,
  request: ChatRequest,
  inFlight: InFlight,
): AsyncGenerator<ChatChunk, void, undefined> {
  const leave = inFlight.enter();
  try {
    const run = await ChatRun.open(dependencies, request, true);
    let reply: Reply | undefined;
    try {
      reply = new Reply(run, await openAny(run));
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

/** The first attempt that comes to content; when there is none, that is recorded and thrown. */
async function openAny(run: ChatRun): Promise<Served<OpenStream>> {
  const { context } = run;
  const { attempts } = run.reservation;
  try {
    const served = await serve(context, attempts, (adapter, call) =>
      openStream(adapter, call, context.deadlines),
    );
    run.firstContent();
    return served;
  } catch (thrown) {
    await run.fail();
    throw thrown;
  }
}

/** What the client gets of the attempt that serves it, down to the last chunk. */
class Reply {
  readonly #run: ChatRun;
  readonly #served: Served<OpenStream>;
  readonly #forwarder: StreamForwarder;
  #problem: Problem | undefined;
  #isCut = false;

  constructor(run: ChatRun, served: Served<OpenStream>) {
    const { endpoint, provider } = served.attempt;
    const head = { id: run.id, created: run.created, model: endpoint.modelId, provider: provider.slug };
    this.#run = run;
    this.#served = served;
    this.#forwarder = new StreamForwarder(served.result, head, run.context.deadlines);
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

  /** Lets go of the provider; records what was taken when the client left before the end. */
  async close(): Promise<void> {
    await this.#forwarder.release();
    if (!this.#run.isRecorded) await this.#settle('cancelled');
  }

  /** Whether enough is kept back for what has come, after more of it where need be (interface section 5). */
  async #isCovered(): Promise<boolean> {
    const { reservation } = this.#run;
    const { attempt, result } = this.#served;
    while (!reservation.covers(attempt, result.streamUsage)) {
      if (result.streamUsage.isComplete) return true;
      if (!(await reservation.extend(attempt))) return false;
    }
    return true;
  }

  /** Ends the answer as one that is as long as it may be; the provider is let go of at once. */
  async #cutOff(): Promise<ChatChunk> {
    this.#isCut = true;
    const chunk = this.#forwarder.chunk(this.#forwarder.endChoices('length'));
    await this.#forwarder.release();
    return chunk;
  }

  async #complete(ending: 'answered' | 'cut'): Promise<ChatChunk> {
    reportSuccess(this.#run.context, this.#served.attempt);
    const usage = await this.#settle(ending);
    return { ...this.#forwarder.chunk([]), usage };
  }

  async #breakOff(failure: UpstreamFailure): Promise<ChatChunk> {
    const { context } = this.#run;
    if (failure.kind === 'cancelled') {
      await this.#settle('cancelled');
      throw finalProblem(failure, context);
    }
    reportFailure(context, this.#served.attempt, failure);
    amendResponse(context, failure);
    this.#problem = brokenStream(failure, context);
    await this.#settle('broken');
    const { httpStatus: code, message } = this.#problem;
    return { ...this.#forwarder.chunk(this.#forwarder.endChoices('error')), error: { code, message } };
  }

  #settle(ending: Ending) {
    return this.#run.settle(this.#served.attempt, this.#served.result.streamUsage, ending);
  }
}

/** Counts requests that are under way, so that closing can wait for their records. */
export class InFlight {
  #count = 0;
  readonly #waiting: (() => void)[] = [];

  /** One more; what is returned is to be called once, when it is over. */
  enter(): () => void {
    this.#count += 1;
    return () => {
      this.#count -= 1;
      if (this.#count === 0) for (const resolve of this.#waiting.splice(0)) resolve();
    };
  }

  /** Resolves once there are none. */
  none(): Promise<void> {
    return this.#count === 0 ? Promise.resolve() : new Promise((resolve) => this.#waiting.push(resolve));
  }
}
