/** Chat over the plan (spec 4.5, interface sections 5 and 6): an answer in one piece, or as it is produced. */
import type { UpstreamAnswer } from './adapter.js';
import type { ChatAnswer, ChatChunk } from './dialect.js';
import { UpstreamFailure } from './failure.js';
import { type Exchange, reportSuccess, serve } from './runner.js';
import { streamChat } from './stream.js';
import { producedBy } from './tally.js';
import { type ChatDependencies, type ChatRequest, Turn } from './turn.js';
import { Underway } from './underway.js';

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
  const underway = new Underway();
  return {
    complete: (request) => completeChat(dependencies, request).finally(underway.enter()),
    stream: (request) => streamChat(dependencies, request, underway),
    idle: () => underway.none(),
  };
}

async function completeChat(dependencies: ChatDependencies, request: ChatRequest): Promise<ChatAnswer> {
  const turn = await Turn.open(dependencies, request, false);
  try {
    const { attempt, result } = await serve(turn.run, turn.hold.attempts, exchange);
    turn.firstContent();
    reportSuccess(turn.run, attempt);
    const usage = await turn.settle(attempt, producedBy(result), 'answered');
    return {
      id: turn.id,
      object: 'chat.completion',
      created: turn.created,
      model: attempt.endpoint.modelId,
      provider: attempt.provider.slug,
      choices: result.choices,
      usage,
      system_fingerprint: result.systemFingerprint,
    };
  } catch (thrown) {
    if (!turn.isRecorded) await turn.fail();
    throw thrown;
  } finally {
    turn.run.watch.end();
  }
}

const exchange: Exchange<UpstreamAnswer> = async (adapter, call) => {
  const answer = await adapter.complete(call);
  if (answer.choices.length > 0) return answer;
  throw new UpstreamFailure('The answer has no choices', { kind: 'upstream_error', error: 'malformed' });
};
