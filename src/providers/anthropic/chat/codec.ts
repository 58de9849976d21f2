/** Sends chats as Messages requests, to any host that takes those over HTTP the way Anthropic does. */

import { eventsOf } from '../../../inference/ports/whole-answer.js';
import { AnswerCallIds } from '../../common/answer-call-ids.js';
import { fitChat } from '../../fit/chat/fit-chat.js';
import type { Codec } from '../../http/codec.js';
import { MAX_TEXT_ANSWER_BYTES } from '../../http/exchange.js';
import { SSE_TYPE, SseDecoder } from '../../http/sse.js';
import { MessagesDataReader } from '../host/data-reader.js';
import { responseFailure } from '../host/error-response.js';
import type { HostFacts } from '../host/messages-contract.js';
import { messageIn } from '../host/reported.js';
import type { FindTarget } from '../host/target.js';
import { readAnswer } from './answer.js';
import { claudeContract } from './contract.js';
import { EventReader } from './events.js';
import { messagesRequest } from './request.js';

export function chatOverMessages<Credential>(
  targetOf: FindTarget<Credential>,
  host: HostFacts,
): Codec<Credential, 'chat'> {
  return {
    maxAnswerBytes: MAX_TEXT_ANSWER_BYTES,
    streamType: SSE_TYPE,
    fit: (call) => fitChat(call, claudeContract(call.endpoint.upstreamModelId)),
    request: (call, isStreamed) => messagesRequest(targetOf(call), host, call, isStreamed),
    answer: (json, { body }) => ({
      format: 'chat',
      ...readAnswer(messageIn(json), new AnswerCallIds(body.messages)),
    }),
    wholeEvents: (json, { body }) => eventsOf(readAnswer(messageIn(json), new AnswerCallIds(body.messages))),
    decoder: ({ body }) =>
      new SseDecoder(new MessagesDataReader(new EventReader(new AnswerCallIds(body.messages)))),
    failure: (response, { now }) => responseFailure(response, now),
    counter: null,
  };
}
