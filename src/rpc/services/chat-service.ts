import type { HandlerContext } from '@connectrpc/connect';
import {
  type ChatRequest as ChatMessage,
  ChatRequestSchema,
  ChatService,
  CreateChatCompletionResponseSchema,
  StreamChatCompletionResponseSchema,
} from '../../../gen/byway/v1/chat_pb.js';
import type { Violation } from '../../base/problem.js';
import type { ChatBody } from '../../formats/chat/types.js';
import type { ChatRequest } from '../../inference/chat-run.js';
import type { Chat } from '../../inference/complete.js';
import { chunkWithoutReasoning, withoutReasoning } from '../../inference/reasoning/hidden-reasoning.js';
import {
  isReasoningHidden,
  type ReasoningMembers,
  reasoningViolations,
} from '../../inference/reasoning/requested-reasoning.js';
import { writeMessage } from '../../protobuf/write.js';
import { callerOf, principalOf } from '../caller.js';
import { defineService, type ServiceDefinition } from '../define-service.js';
import { messageFromJson } from '../../protobuf/message-from-json.js';
import { preferencesOf, routeViolations } from '../messages/route-request.js';

/** Header of every answer to a chat: the identifier of its generation record. */
const GENERATION_ID = 'x-generation-id';

/** Counts open streams. */
export interface StreamMeter {
  streamOpened(): void;
  streamClosed(): void;
}

export function chatService(chat: Chat, meter: StreamMeter): ServiceDefinition {
  return defineService(
    ChatService,
    {
      async createChatCompletion(request, context) {
        const chatRequest = requestOf(request.chat, context);
        const answer = await chat.complete(chatRequest);
        context.responseHeader.set(GENERATION_ID, answer.id);
        const shown = isReasoningHidden(chatRequest.body) ? withoutReasoning(answer) : answer;
        return messageFromJson(CreateChatCompletionResponseSchema, shown);
      },
      async *streamChatCompletion(request, context) {
        const chatRequest = requestOf(request.chat, context);
        const isHidden = isReasoningHidden(chatRequest.body);
        let isFirst = true;
        meter.streamOpened();
        try {
          for await (const chunk of chat.stream(chatRequest)) {
            if (isFirst) context.responseHeader.set(GENERATION_ID, chunk.id);
            isFirst = false;
            const shown = isHidden ? chunkWithoutReasoning(chunk) : chunk;
            if (shown !== undefined) yield messageFromJson(StreamChatCompletionResponseSchema, shown);
          }
        } finally {
          meter.streamClosed();
        }
      },
    },
    {
      createChatCompletion: ({ chat: message }) => violationsOf(message),
      streamChatCompletion: ({ chat: message }) => violationsOf(message),
    },
  );
}

function violationsOf(message: ChatMessage | undefined): Violation[] {
  if (message === undefined) return [];
  return [...routeViolations(message), ...reasoningViolations(reasoningMembers(message))];
}

function reasoningMembers({ reasoning, extra = {} }: ChatMessage): ReasoningMembers {
  const { reasoning_effort, include_reasoning } = extra;
  if (reasoning === undefined) return { reasoning_effort, include_reasoning };
  const { effort, maxTokens: max_tokens, enabled, exclude } = reasoning;
  return { reasoning: { effort, max_tokens, enabled, exclude }, reasoning_effort, include_reasoning };
}

function requestOf(message: ChatMessage | undefined, context: HandlerContext): ChatRequest {
  if (message === undefined) throw new TypeError('the contract requires a chat');
  const { keyHash: apiKeyHash, ...principal } = principalOf(context, 'api_key');
  const { region, requestId } = callerOf(context);
  return {
    // The message has the members of the chat format, and the contract's rules hold.
    body: writeMessage(ChatRequestSchema, message) as unknown as ChatBody,
    preferences: preferencesOf(message.provider),
    caller: { apiKeyHash, region, ...principal },
    requestId,
    signal: context.signal,
  };
}
