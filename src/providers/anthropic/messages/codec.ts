/** Passes requests in the Messages format on, to any host that takes them over HTTP the way Anthropic does. */
import type { Codec } from '../../http/codec.js';
import { MAX_TEXT_ANSWER_BYTES } from '../../http/exchange.js';
import { SSE_TYPE, SseDecoder } from '../../http/sse.js';
import { MessagesDataReader } from '../host/data-reader.js';
import { responseFailure } from '../host/error-response.js';
import { messageIn } from '../host/reported.js';
import type { FindTarget } from '../host/target.js';
import { nativeAnswer } from './answer.js';
import { NativeReader, nativeEventsOf } from './events.js';
import { countRequest, nativeRequest } from './request.js';
import { readCount } from './usage.js';

export function messagesCodec<Credential>(targetOf: FindTarget<Credential>): Codec<Credential, 'messages'> {
  return {
    maxAnswerBytes: MAX_TEXT_ANSWER_BYTES,
    streamType: SSE_TYPE,
    request: (call, isStreamed) => nativeRequest(targetOf(call), call, isStreamed),
    answer: (json) => nativeAnswer(messageIn(json)),
    wholeEvents: (json) => nativeEventsOf(nativeAnswer(messageIn(json)).native),
    decoder: () => new SseDecoder(new MessagesDataReader(new NativeReader())),
    failure: (response, { now, isCut }) => responseFailure(response, now, !isCut),
    counter: { request: (call) => countRequest(targetOf(call), call), read: readCount },
  };
}
