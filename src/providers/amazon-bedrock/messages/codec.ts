/** Requests in the Messages format, through the operation InvokeModel. */
import type { BedrockCredential } from '../../../byok/kinds/amazon-bedrock.js';
import { members } from '../../../formats/json.js';
import { betasIn } from '../../../formats/messages/headers.js';
import { givenIn } from '../../../formats/modes/served-mode.js';
import { fitNative, withFetchedMedia } from '../../anthropic/host/fit.js';
import { messagesContract } from '../../anthropic/host/messages-contract.js';
import { nativeAnswer } from '../../anthropic/messages/answer.js';
import { nativeEventsOf } from '../../anthropic/messages/events.js';
import { betasAtHost } from '../../anthropic/messages/host-betas.js';
import type { Codec } from '../../http/codec.js';
import { MAX_TEXT_ANSWER_BYTES } from '../../http/exchange.js';
import type { InlineMedia } from '../../http/inline-media.js';
import { EVENT_STREAM_TYPE, FrameDecoder } from '../host/frames.js';
import { refusedFailure } from '../host/refused.js';
import { BETAS } from './betas.js';
import { AT_BEDROCK } from './contract.js';
import { ChunkReader } from './events.js';
import { invokeRequest, TIER_HEADER } from './request.js';

export function invokeCodec(inlineMedia: InlineMedia): Codec<BedrockCredential, 'messages'> {
  return {
    maxAnswerBytes: MAX_TEXT_ANSWER_BYTES,
    streamType: EVENT_STREAM_TYPE,
    fit: (call) => {
      const betas = betasAtHost(BETAS, betasIn(call.apiHeaders), call.body);
      return fitNative(call, messagesContract(call.endpoint, AT_BEDROCK), betas);
    },
    request: async (call, isStreamed) => {
      const contract = messagesContract(call.endpoint, AT_BEDROCK);
      return invokeRequest(await withFetchedMedia(call, contract, inlineMedia), isStreamed);
    },
    modeIn: (headers) => givenIn({ service_tier: headers[TIER_HEADER] }),
    answer: (json) => nativeAnswer(members(json)),
    wholeEvents: (json) => nativeEventsOf(nativeAnswer(members(json)).native),
    decoder: () => new FrameDecoder(new ChunkReader()),
    failure: refusedFailure,
    counter: null,
  };
}
