/** Requests in the Responses format, passed as they came, at any host that takes them over HTTP as OpenAI does. */
import type { UpstreamAnswer } from '../../../inference/ports/adapter.js';
import { readCount } from '../../common/counts.js';
import { fitResponses } from '../../fit-responses/fit-responses.js';
import type { Codec } from '../../http/codec.js';
import { MAX_MEDIA_ANSWER_BYTES } from '../../http/exchange.js';
import { SSE_TYPE, SseDecoder } from '../../http/sse.js';
import { responseFailure } from '../host/error-response.js';
import { readResponse } from './answer.js';
import { type ResponsesHost, responsesContract } from './contract.js';
import { nativeDataReader, nativeEventsOf } from './native-events.js';
import { responseIn } from './reported.js';
import { countRequest, nativeRequest } from './request.js';
import type { FindResponses } from './target.js';

export function responsesCodec<Credential>(
  targetOf: FindResponses<Credential>,
  host: ResponsesHost,
): Codec<Credential, 'responses'> {
  return {
    // Images that the model made are in it.
    maxAnswerBytes: MAX_MEDIA_ANSWER_BYTES,
    streamType: SSE_TYPE,
    fit(call) {
      const { body, endpoint, provider, onAdapted } = call;
      const contract = responsesContract(endpoint, provider, host);
      const { call: fitted, names } = fitResponses(
        { body, endpoint, provider, ...(onAdapted && { onAdapted }) },
        contract,
      );
      return { call: fitted.body === body ? call : { ...call, body: fitted.body }, names };
    },
    request: (call, isStreamed) => nativeRequest(targetOf(call), call, isStreamed),
    answer: (json) => nativeAnswer(json),
    wholeEvents: (json) => nativeEventsOf(nativeAnswer(json).native),
    decoder: () => new SseDecoder(nativeDataReader()),
    failure: (response, { now, isCut }) => responseFailure(response, now, !isCut),
    counter: host.counts ? { request: (call) => countRequest(targetOf(call), call), read: readCount } : null,
  };
}

/** The response as it came, and in terms of a chat. Throws `UpstreamFailure` for anything else, and what it reports. */
function nativeAnswer(json: unknown): UpstreamAnswer<'responses'> {
  const native = responseIn(json);
  return { format: 'responses', native, normalized: readResponse(native) };
}
