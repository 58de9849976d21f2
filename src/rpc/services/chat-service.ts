import type { JsonObject } from '@bufbuild/protobuf';
import { ChatService } from '../../../gen/byway/v1/chat_pb.js';
import { exactText } from '../../base/json/exact-text.js';
import type { ChatAnswer, ChatBody, ChatChunk } from '../../formats/chat/types.js';
import { CHAT_ANSWER } from '../../inference/chat/answer.js';
import { chunkWithoutReasoning, withoutReasoning } from '../../inference/reasoning/hidden-reasoning.js';
import { isReasoningHidden, reasoningViolations } from '../../inference/reasoning/reasoning.js';
import type { ServiceDefinition } from '../define-service.js';
import { type Answering, inferenceMethods, type ReadCall } from '../inference-methods.js';
import { inferenceRequest } from '../inference-request.js';
import { ChunkTexts } from '../messages/chunk-text.js';
import { defineOpenService } from '../open-methods.js';

export function chatService(answering: Answering): ServiceDefinition {
  const { whole, streamed } = inferenceMethods<ChatAnswer, ChatChunk>(answering, {
    read(body, context) {
      const request = inferenceRequest({ format: 'chat', chat: chatBody(body) }, context);
      return { request, format: CHAT_ANSWER, shown: shownTo(request) };
    },
    violations: (body) => reasoningViolations(chatBody(body)),
  });
  return defineOpenService(ChatService, { createChatCompletion: whole, streamChatCompletion: streamed });
}

/** Reasoning that a client wants hidden is left out. Chunks are written here, since it takes less than where all is written. */
function shownTo({ facts }: ReadCall<ChatAnswer, ChatChunk>['request']) {
  const isHidden = isReasoningHidden(facts.reasoning);
  const texts = new ChunkTexts();
  return {
    whole(answer: ChatAnswer) {
      const shown = isHidden ? withoutReasoning(answer) : answer;
      return exactText(
        shown,
        shown.choices.map(({ message }) => message.provider_blocks),
      );
    },
    pieces(chunks: readonly ChatChunk[]) {
      const shown = isHidden ? chunks.flatMap((chunk) => chunkWithoutReasoning(chunk) ?? []) : chunks;
      return shown.map((chunk) => texts.textOf(chunk));
    },
  };
}

/** The contract's rules hold for the body by now, or are told of beside what is found here. */
function chatBody(body: JsonObject): ChatBody {
  return body as unknown as ChatBody;
}
