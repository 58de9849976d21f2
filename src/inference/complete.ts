/** Chat over the plan (spec 4.5, interface sections 5 and 6): an answer in one piece, or as it is produced. */

import type { ChatAnswer, ChatChunk } from '../formats/chat/types.js';
import type { UpstreamAnswer } from './attempts/adapter.js';
import { UpstreamFailure } from './attempts/failure.js';
import { type Exchange, reportSuccess, serve } from './attempts/runner.js';
import { type ChatDependencies, type ChatRequest, ChatRun } from './chat-run.js';
import { InFlight } from './in-flight.js';
import { producedBy } from './stream/stream-usage.js';
import { streamChat } from './stream.js';

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
