/** Sends chats as Responses requests, to hosts and models that speak nothing else. */

import { eventsOf } from '../../../inference/ports/whole-answer.js';
import { AnswerCallIds } from '../../common/answer-call-ids.js';
import { fitChat } from '../../fit/chat/fit-chat.js';
import type { Codec } from '../../http/codec.js';
import { MAX_MEDIA_ANSWER_BYTES } from '../../http/exchange.js';
import { SSE_TYPE, SseDecoder } from '../../http/sse.js';
import { responseFailure } from '../host/error-response.js';
import { readResponse } from '../responses/answer.js';
import { responseIn } from '../responses/reported.js';
import type { FindResponses } from '../responses/target.js';
import { contractOverResponses, rulesOverResponses } from './contract.js';
import { ResponsesDataReader } from './data-reader.js';
import { responsesRequest } from './request.js';

export function chatOverResponses<Credential>(
  targetOf: FindResponses<Credential>,
): Codec<Credential, 'chat'> {
  return {
    // Images that tools of the host have made are in it.
    maxAnswerBytes: MAX_MEDIA_ANSWER_BYTES,
    streamType: SSE_TYPE,
    fit: (call) => fitChat(call, contractOverResponses(call.endpoint, call.provider)),
    streams: ({ endpoint, provider }) =>
      rulesOverResponses(endpoint, provider).quirks.members?.stream !== null,
    request: (call, isStreamed) => responsesRequest(targetOf(call), call, isStreamed),
    answer: (json, { body }) => ({
      format: 'chat',
      ...readResponse(responseIn(json), new AnswerCallIds(body.messages)),
    }),
    wholeEvents: (json, { body }) =>
      eventsOf(readResponse(responseIn(json), new AnswerCallIds(body.messages))),
    decoder: ({ body }) => new SseDecoder(new ResponsesDataReader(new AnswerCallIds(body.messages))),
    failure: (response, { now }) => responseFailure(response, now),
    counter: null,
  };
}
