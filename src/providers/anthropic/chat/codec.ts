/** Chats as messages, at any host that takes those over HTTP as Anthropic does. */
import type { UpstreamEvent } from '../../../inference/ports/adapter.js';
import { eventsOf } from '../../common/whole-answer.js';
import type { Codec } from '../../http/codec.js';
import { MAX_TEXT_ANSWER_BYTES } from '../../http/exchange.js';
import { type DataReader, eventIn, SSE_TYPE, SseDecoder } from '../../http/sse.js';
import { responseFailure } from '../host/error-response.js';
import { messageIn, throwReported } from '../host/reported.js';
import type { FindTarget } from '../host/target.js';
import { readAnswer } from './answer.js';
import { EventReader } from './events.js';
import { messagesRequest } from './request.js';

export function chatOverMessages<Credential>(targetOf: FindTarget<Credential>): Codec<Credential, 'chat'> {
  return {
    maxAnswerBytes: MAX_TEXT_ANSWER_BYTES,
    streamType: SSE_TYPE,
    request: (call, isStreamed) => messagesRequest(targetOf(call), call, isStreamed),
    answer: (json) => ({ format: 'chat', ...readAnswer(messageIn(json)) }),
    wholeEvents: (json) => eventsOf(readAnswer(messageIn(json))),
    decoder: () => new SseDecoder(new MessagesDataReader()),
    failure: (response, { now }) => responseFailure(response, now),
    counter: null,
  };
}

/** Reads events up to `message_stop`. Without a finish event the answer was truncated. */
class MessagesDataReader implements DataReader {
  readonly #events = new EventReader();

  get isDone(): boolean {
    return this.#events.isDone;
  }

  read(json: unknown, data: string, isWhole: boolean, events: UpstreamEvent[]): void {
    const event = eventIn(json, data, isWhole);
    if (event === undefined) return;
    throwReported(event);
    for (const read of this.#events.read(event)) events.push(read);
  }
}
