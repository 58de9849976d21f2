/** Passes requests in the Messages format on to Anthropic's models. */
import type { VertexCredential } from '../../../byok/kinds/google-vertex.js';
import { members } from '../../../formats/json.js';
import { betasIn } from '../../../formats/messages/headers.js';
import { fitNative } from '../../anthropic/host/fit.js';
import { messagesContract } from '../../anthropic/host/messages-contract.js';
import { nativeAnswer } from '../../anthropic/messages/answer.js';
import { NativeReader, nativeEventsOf } from '../../anthropic/messages/events.js';
import { betasAtHost } from '../../anthropic/messages/host-betas.js';
import { readCount } from '../../anthropic/messages/usage.js';
import type { Codec } from '../../http/codec.js';
import { MAX_MEDIA_ANSWER_BYTES } from '../../http/exchange.js';
import type { InlineMedia } from '../../http/inline-media.js';
import { SSE_TYPE, SseDecoder } from '../../http/sse.js';
import { answerIn, VertexDataReader, wholeEvents } from '../host/answers.js';
import { BETAS } from '../host/betas.js';
import { responseFailure } from '../host/error-response.js';
import { AT_VERTEX } from '../host/messages-contract.js';
import { redactWith } from '../host/secrets.js';
import { countRequest, rawPredictRequest } from './request.js';

export const rawPredictCodec = (inlineMedia: InlineMedia): Codec<VertexCredential, 'messages'> => ({
  maxAnswerBytes: MAX_MEDIA_ANSWER_BYTES,
  streamType: SSE_TYPE,
  fit: (call) =>
    fitNative(call, messagesContract(call.endpoint, AT_VERTEX), betasAtHost(BETAS, betasIn(call.apiHeaders))),
  request: async (call, isStreamed) =>
    rawPredictRequest({ ...call, body: await inlineMedia(call.body, call) }, isStreamed),
  answer: (json, { credential }) => nativeAnswer(members(answerIn(json, redactWith(credential)))),
  wholeEvents: (json, { credential }) =>
    wholeEvents(
      json,
      redactWith(credential),
      (answer) => nativeEventsOf(nativeAnswer(members(answer)).native),
      () => new NativeReader(),
    ),
  decoder: ({ credential }) =>
    new SseDecoder(new VertexDataReader(new NativeReader(), redactWith(credential))),
  failure: (response, { call, isCut, now }) =>
    responseFailure(response, redactWith(call.credential), now, !isCut),
  counter: { request: countRequest, read: readCount },
});
