import type { Problem } from '../base/problem.js';
import type { ChatChunk } from './dialect.js';
import { brokenStream, finalProblem } from './exhausted.js';
import type { UpstreamFailure } from './failure.js';
import { type OpenStream, openStream, Relay } from './relay.js';
import { amendResponse, failureOf, reportFailure, reportSuccess, type Served, serve } from './runner.js';
import { type ChatDependencies, type ChatRequest, type Ending, Turn } from './turn.js';
import type { Underway } from './underway.js';

/** A chat's answer as it is produced; the guarantees are `Chat.stream`'s. */
export async function* streamChat(
  dependencies: ChatDependencies,
  request: ChatRequest,
  underway: Underway,
): AsyncGenerator<ChatChunk, void, undefined> {
  const leave = underway.enter();
  try {
    const turn = await Turn.open(dependencies, request, true);
    let reply: Reply | undefined;
    try {
      reply = new Reply(turn, await openAny(turn));
      for (let chunk = await reply.next(); chunk !== undefined; chunk = await reply.next()) yield chunk;
    } finally {
      try {
        await reply?.close();
      } finally {
        turn.run.watch.end();
      }
    }
  } finally {
    leave();
  }
}

/** The first attempt that comes to content; when there is none, that is recorded and thrown. */
async function openAny(turn: Turn): Promise<Served<OpenStream>> {
  const { run } = turn;
  const { attempts } = turn.hold;
  try {
    const served = await serve(run, attempts, (adapter, call) => openStream(adapter, call, run.watch));
    turn.firstContent();
    return served;
  } catch (thrown) {
    await turn.fail();
    throw thrown;
  }
}

/** What the client gets of the attempt that serves it, down to the last chunk. */
class Reply {
  readonly #turn: Turn;
  readonly #served: Served<OpenStream>;
  readonly #relay: Relay;
  #problem: Problem | undefined;
  #isCut = false;

  constructor(turn: Turn, served: Served<OpenStream>) {
    const { endpoint, provider } = served.attempt;
    const head = { id: turn.id, created: turn.created, model: endpoint.modelId, provider: provider.slug };
    this.#turn = turn;
    this.#served = served;
    this.#relay = new Relay(served.result, head, turn.run.watch);
  }

  /** The next chunk; undefined after the last one of a complete answer. */
  async next(): Promise<ChatChunk | undefined> {
    if (this.#problem !== undefined) throw this.#problem;
    if (this.#turn.isRecorded) return undefined;
    if (this.#isCut) return this.#complete('cut');
    if (!(await this.#isCovered())) return this.#cutOff();
    let chunk: ChatChunk | undefined;
    try {
      chunk = await this.#relay.next();
    } catch (thrown) {
      return this.#breakOff(failureOf(thrown, this.#turn.run.watch));
    }
    return chunk ?? this.#complete('answered');
  }

  /** Lets go of the provider; records what was taken when the client left before the end. */
  async close(): Promise<void> {
    await this.#relay.release();
    if (!this.#turn.isRecorded) await this.#settle('cancelled');
  }

  /** Whether enough is kept back for what has come, after more of it where need be (interface section 5). */
  async #isCovered(): Promise<boolean> {
    const { hold } = this.#turn;
    const { attempt, result } = this.#served;
    while (!hold.covers(attempt, result.tally)) {
      if (result.tally.isComplete) return true;
      if (!(await hold.extend(attempt))) return false;
    }
    return true;
  }

  /** Ends the answer as one that is as long as it may be; the provider is let go of at once. */
  async #cutOff(): Promise<ChatChunk> {
    this.#isCut = true;
    const chunk = this.#relay.chunk(this.#relay.endChoices('length'));
    await this.#relay.release();
    return chunk;
  }

  async #complete(ending: 'answered' | 'cut'): Promise<ChatChunk> {
    reportSuccess(this.#turn.run, this.#served.attempt);
    const usage = await this.#settle(ending);
    return { ...this.#relay.chunk([]), usage };
  }

  async #breakOff(failure: UpstreamFailure): Promise<ChatChunk> {
    const { run } = this.#turn;
    if (failure.kind === 'cancelled') {
      await this.#settle('cancelled');
      throw finalProblem(failure, run);
    }
    reportFailure(run, this.#served.attempt, failure);
    amendResponse(run, failure);
    this.#problem = brokenStream(failure, run);
    await this.#settle('broken');
    const { httpStatus: code, message } = this.#problem;
    return { ...this.#relay.chunk(this.#relay.endChoices('error')), error: { code, message } };
  }

  #settle(ending: Ending) {
    return this.#turn.settle(this.#served.attempt, this.#served.result.tally, ending);
  }
}
