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
import { fromDialect } from '../messages/from-dialect.js';
import { preferencesOf, routeViolations } from '../messages/route-request.js';

/** Header of every answer to a chat: the identifier of its generation record. */
const GENERATION_ID = 'x-generation-id';

/** Hears of streams. */
export interface StreamMeter {
  streamOpened(): void;
  streamClosed(): void;
}

/** `byway.v1.ChatService` over the chat part. */
export function chatService(chat: Chat, meter: StreamMeter): ServiceDefinition {
  return defineService(
    ChatService,
    {
      async createChatCompletion(request, context) {
        const asked = requestOf(request.chat, context);
        const answer = await chat.complete(asked);
        context.responseHeader.set(GENERATION_ID, answer.id);
        const shown = isReasoningHidden(asked.body) ? withoutReasoning(answer) : answer;
        return fromDialect(CreateChatCompletionResponseSchema, shown);
      },
      async *streamChatCompletion(request, context) {
        const asked = requestOf(request.chat, context);
        const isHidden = isReasoningHidden(asked.body);
        let isFirst = true;
        meter.streamOpened();
        try {
          for await (const chunk of chat.stream(asked)) {
            if (isFirst) context.responseHeader.set(GENERATION_ID, chunk.id);
            isFirst = false;
            const shown = isHidden ? chunkWithoutReasoning(chunk) : chunk;
            if (shown !== undefined) yield fromDialect(StreamChatCompletionResponseSchema, shown);
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
    // The contract's message has the members of the dialect, and its rules hold.
    body: writeMessage(ChatRequestSchema, message) as unknown as ChatBody,
    preferences: preferencesOf(message.provider),
    caller: { apiKeyHash, region, ...principal },
    requestId,
    signal: context.signal,
  };
}
