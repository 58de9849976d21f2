import type { JsonObject } from '@bufbuild/protobuf';
import { ChatService } from '../../../gen/byway/v1/chat_pb.js';
import { exactText } from '../../base/json/exact-text.js';
import { ownSizeViolations } from '../../formats/answer-size.js';
import type { ChatBody } from '../../formats/chat/types.js';
import { hostWorkViolations } from '../../formats/host-work.js';
import { CHAT_ANSWER } from '../../inference/chat/answer.js';
import type { Inference } from '../../inference/inference.js';
import { chunkWithoutReasoning, withoutReasoning } from '../../inference/reasoning/hidden-reasoning.js';
import { isReasoningHidden, reasoningViolations } from '../../inference/reasoning/reasoning.js';
import { routeViolations } from '../../routing/plan/preferences.js';
import type { OpenMethod, ServiceDefinition } from '../define-service.js';
import {
  answerStream,
  type CallListeners,
  GENERATION_ID,
  inferenceRequest,
  type StreamMeter,
  tellAdapted,
} from '../inference-request.js';
import { ChunkTexts } from '../messages/chunk-text.js';
import { defineOpenService } from '../open-methods.js';

export function chatService(inference: Inference, meter: StreamMeter): ServiceDefinition {
  return defineOpenService(ChatService, {
    createChatCompletion: {
      violations,
      async call(body, context) {
        const request = inferenceRequest({ format: 'chat', chat: chatBody(body) }, context);
        const onServed = (adapted: readonly string[]) => tellAdapted(context, adapted);
        const answer = await inference.complete({ request, format: CHAT_ANSWER, onServed });
        context.responseHeader.set(GENERATION_ID, answer.id);
        const shown = isReasoningHidden(request.facts.reasoning) ? withoutReasoning(answer) : answer;
        return exactText(
          shown,
          shown.choices.map(({ message }) => message.provider_blocks),
        );
      },
    },
    streamChatCompletion: {
      violations,
      call(body, context) {
        const request = inferenceRequest({ format: 'chat', chat: chatBody(body) }, context);
        const isHidden = isReasoningHidden(request.facts.reasoning);
        const texts = new ChunkTexts();
        const open = (told: CallListeners) => inference.stream({ request, format: CHAT_ANSWER, ...told });
        return answerStream(context, meter, open, (chunks) => {
          const shown = isHidden ? chunks.flatMap((chunk) => chunkWithoutReasoning(chunk) ?? []) : chunks;
          return shown.map((chunk) => texts.textOf(chunk));
        });
      },
    },
  });
}

const violations: OpenMethod['violations'] = (body) => {
  const chat = chatBody(body);
  return [
    ...routeViolations(chat),
    ...reasoningViolations(chat),
    ...ownSizeViolations(chat),
    ...hostWorkViolations(chat),
  ];
};

/** The contract's rules hold for the body by now, or are told of beside what is found here. */
function chatBody(body: JsonObject): ChatBody {
  return body as unknown as ChatBody;
}
