/** Requests in the Messages format, passed as they came, at any host that takes them over HTTP as Anthropic does. */

import { readCount } from '../../common/counts.js';
import type { Codec } from '../../http/codec.js';
import { MAX_TEXT_ANSWER_BYTES } from '../../http/exchange.js';
import { SSE_TYPE, SseDecoder } from '../../http/sse.js';
import { MessagesDataReader } from '../host/data-reader.js';
import { responseFailure } from '../host/error-response.js';
import { fitNative } from '../host/fit.js';
import { type HostFacts, messagesContract } from '../host/messages-contract.js';
import { messageIn } from '../host/reported.js';
import type { FindTarget } from '../host/target.js';
import { nativeAnswer } from './answer.js';
import { NativeReader, nativeEventsOf } from './events.js';
import { countRequest, nativeRequest } from './request.js';

export function messagesCodec<Credential>(
  targetOf: FindTarget<Credential>,
  host: HostFacts,
): Codec<Credential, 'messages'> {
  return {
    maxAnswerBytes: MAX_TEXT_ANSWER_BYTES,
    streamType: SSE_TYPE,
    fit: (call) => fitNative(call, messagesContract(call.endpoint, host)),
    request: (call, isStreamed) => nativeRequest(targetOf(call), call, isStreamed),
    answer: (json) => nativeAnswer(messageIn(json)),
    wholeEvents: (json) => nativeEventsOf(nativeAnswer(messageIn(json)).native),
    decoder: () => new SseDecoder(new MessagesDataReader(new NativeReader())),
    failure: (response, { now, isCut }) => responseFailure(response, now, !isCut),
    counter: { request: (call) => countRequest(targetOf(call), call), read: readCount },
  };
}
