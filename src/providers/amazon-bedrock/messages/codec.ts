/** Requests in the Messages format, through the operation InvokeModel. */
import type { BedrockCredential } from '../../../byok/kinds/amazon-bedrock.js';
import { members } from '../../../formats/json.js';
import { nativeAnswer } from '../../anthropic/messages/answer.js';
import { nativeEventsOf } from '../../anthropic/messages/events.js';
import { asGiven, type Codec } from '../../http/codec.js';
import { MAX_TEXT_ANSWER_BYTES } from '../../http/exchange.js';
import { EVENT_STREAM_TYPE, FrameDecoder } from '../host/frames.js';
import { refusedFailure } from '../host/refused.js';
import { ChunkReader } from './events.js';
import { invokeRequest } from './request.js';

export const invokeCodec: Codec<BedrockCredential, 'messages'> = {
  maxAnswerBytes: MAX_TEXT_ANSWER_BYTES,
  streamType: EVENT_STREAM_TYPE,
  fit: asGiven,
  request: invokeRequest,
  answer: (json) => nativeAnswer(members(json)),
  wholeEvents: (json) => nativeEventsOf(nativeAnswer(members(json)).native),
  decoder: () => new FrameDecoder(new ChunkReader()),
  failure: refusedFailure,
  counter: null,
};
