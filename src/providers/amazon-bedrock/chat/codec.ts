/** Chats through the operation Converse. */
import { runInSlices } from '../../../base/time-slices.js';
import type { BedrockCredential } from '../../../byok/kinds/amazon-bedrock.js';
import type { JsonObject } from '../../../formats/chat/types.js';
import { elements } from '../../../formats/json.js';
import type { NormalizedAnswer, UpstreamCall } from '../../../inference/ports/adapter.js';
import { eventsOf } from '../../../inference/ports/whole-answer.js';
import { reportAdapted } from '../../common/adapted.js';
import { AnswerCallIds } from '../../common/answer-call-ids.js';
import { readArguments } from '../../common/nested-json.js';
import { fitChat } from '../../fit/chat/fit-chat.js';
import type { Codec } from '../../http/codec.js';
import { MAX_TEXT_ANSWER_BYTES } from '../../http/exchange.js';
import type { InlineMedia } from '../../http/inline-media.js';
import { EVENT_STREAM_TYPE, FrameDecoder } from '../host/frames.js';
import { refusedFailure } from '../host/refused.js';
import { modelUrl } from '../host/url.js';
import { readAnswer } from './answer.js';
import { withTakenCachePoints } from './cache-points.js';
import { converseContract } from './contract.js';
import { EventReader } from './events.js';
import { CONVERSE_MAPPING } from './member-mapping.js';
import { modelOf } from './model.js';
import { converseBody } from './request.js';

type Call = UpstreamCall<BedrockCredential, 'chat'>;

export function converseCodec(inlineMedia: InlineMedia): Codec<BedrockCredential, 'chat'> {
  return {
    maxAnswerBytes: MAX_TEXT_ANSWER_BYTES,
    streamType: EVENT_STREAM_TYPE,
    fit: (call) => fitChat(call, converseContract(call.endpoint)),
    streams: ({ body, endpoint }) => modelOf(endpoint).streamsTools || !usesTools(body),
    request: async (call, isStreamed) => ({
      url: modelUrl(call, isStreamed ? 'converse-stream' : 'converse'),
      headers: {},
      body: await translated(call, inlineMedia),
    }),
    answer: (json, call) => ({ format: 'chat', ...answerIn(json, call) }),
    wholeEvents: (json, call) => eventsOf(answerIn(json, call)),
    decoder: ({ endpoint, body }) =>
      new FrameDecoder(new EventReader(modelOf(endpoint), new AnswerCallIds(body.messages))),
    failure: refusedFailure,
    counter: null,
  };
}

/** Whether Converse is sent tools: those of the request, or those that its conversation used. */
function usesTools({ tools, messages }: Call['body']): boolean {
  return elements(tools).length > 0 || messages.some(({ tool_calls }) => elements(tool_calls).length > 0);
}

function answerIn(json: unknown, { endpoint, body }: Call): NormalizedAnswer {
  return readAnswer(json, modelOf(endpoint), new AnswerCallIds(body.messages));
}

async function translated(call: Call, inlineMedia: InlineMedia): Promise<JsonObject> {
  const body = await inlineMedia(call.body, call);
  const sent = converseBody({ ...call, body }, await runInSlices(readArguments(body)));
  reportAdapted(call, CONVERSE_MAPPING, sent);
  const { keepsCacheAnHour } = modelOf(call.endpoint);
  return withTakenCachePoints(sent, keepsCacheAnHour, () => call.onAdapted?.('cache_control', 'changed'));
}
