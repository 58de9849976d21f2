/** Chats in the format of the model's publisher. */
import type { VertexCredential } from '../../../byok/kinds/google-vertex.js';
import { eventsOf } from '../../../inference/ports/whole-answer.js';
import { fitChat } from '../../fit/chat/fit-chat.js';
import type { Codec } from '../../http/codec.js';
import { MAX_MEDIA_ANSWER_BYTES } from '../../http/exchange.js';
import type { InlineMedia } from '../../http/inline-media.js';
import { SSE_TYPE, SseDecoder } from '../../http/sse.js';
import { answerIn, VertexDataReader, wholeEvents } from '../host/answers.js';
import { responseFailure } from '../host/error-response.js';
import type { Publisher } from '../host/publisher.js';
import type { PublisherFormat } from '../host/publisher-format.js';
import { redactWith } from '../host/secrets.js';
import { contractOf, PUBLISHERS } from './publishers.js';
import { chatRequest } from './request.js';

type ChatCodec = Codec<VertexCredential, 'chat'>;

export function publisherCodecs(inlineMedia: InlineMedia): Readonly<Record<Publisher, ChatCodec>> {
  return {
    anthropic: codecOf(PUBLISHERS.anthropic, inlineMedia),
    google: codecOf(PUBLISHERS.google, inlineMedia),
    other: codecOf(PUBLISHERS.other, inlineMedia),
  };
}

function codecOf(format: PublisherFormat, inlineMedia: InlineMedia): ChatCodec {
  return {
    maxAnswerBytes: MAX_MEDIA_ANSWER_BYTES,
    streamType: SSE_TYPE,
    fit: (call) => fitChat(call, contractOf(call.endpoint)),
    request: (call, isStreamed) => chatRequest(format, inlineMedia, call, isStreamed),
    answer: (json, call) => {
      const answer = format.readAnswer(answerIn(json, redactWith(call.credential)), call);
      return { format: 'chat', ...answer };
    },
    wholeEvents: (json, call) =>
      wholeEvents(
        json,
        redactWith(call.credential),
        (answer) => eventsOf(format.readAnswer(answer, call)),
        () => format.createReader(call),
      ),
    decoder: (call) =>
      new SseDecoder(new VertexDataReader(format.createReader(call), redactWith(call.credential))),
    failure: (response, { call, now }) => responseFailure(response, redactWith(call.credential), now),
    counter: null,
  };
}
