/** Passes requests in the Messages format on to Anthropic's models. */
import type { VertexCredential } from '../../../byok/kinds/google-vertex.js';
import { members } from '../../../formats/json.js';
import { betasIn } from '../../../formats/messages/headers.js';
import type { UpstreamCall } from '../../../inference/ports/adapter.js';
import { fitNative, withFetchedMedia } from '../../anthropic/host/fit.js';
import { nativeAnswer } from '../../anthropic/messages/answer.js';
import { NativeReader, nativeEventsOf } from '../../anthropic/messages/events.js';
import { betasAtHost } from '../../anthropic/messages/host-betas.js';
import { readCount } from '../../common/counts.js';
import type { Codec } from '../../http/codec.js';
import { MAX_MEDIA_ANSWER_BYTES } from '../../http/exchange.js';
import type { InlineMedia } from '../../http/inline-media.js';
import { SSE_TYPE, SseDecoder } from '../../http/sse.js';
import { answerIn, VertexDataReader, wholeEvents } from '../host/answers.js';
import { BETAS } from '../host/betas.js';
import { responseFailure } from '../host/error-response.js';
import { contractAtVertex } from '../host/messages-contract.js';
import { redactWith } from '../host/secrets.js';
import { countRequest, rawPredictRequest } from './request.js';

export function rawPredictCodec(inlineMedia: InlineMedia): Codec<VertexCredential, 'messages'> {
  const inline = (call: UpstreamCall<VertexCredential, 'messages'>) =>
    withFetchedMedia(call, contractAtVertex(call.endpoint), inlineMedia);
  return {
    maxAnswerBytes: MAX_MEDIA_ANSWER_BYTES,
    streamType: SSE_TYPE,
    fit: (call) => {
      const betas = betasAtHost(BETAS, betasIn(call.apiHeaders), call.body);
      return fitNative(call, contractAtVertex(call.endpoint), betas);
    },
    request: async (call, isStreamed) => rawPredictRequest(await inline(call), isStreamed),
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
    counter: { request: async (call) => countRequest(await inline(call)), read: readCount },
  };
}
