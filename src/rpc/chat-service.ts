import type { DescMessage, JsonValue, MessageShape } from '@bufbuild/protobuf';
import type { HandlerContext } from '@connectrpc/connect';
import {
  type ChatRequest as ChatMessage,
  ChatRequestSchema,
  ChatService,
  CreateChatCompletionResponseSchema,
  StreamChatCompletionResponseSchema,
} from '../../gen/byway/v1/chat_pb.js';
import type { Chat } from '../chat/complete.js';
import type { ChatBody } from '../chat/dialect.js';
import type { ChatRequest } from '../chat/turn.js';
import { readMessage } from '../wire/read.js';
import { writeMessage } from '../wire/write.js';
import { callerOf, principalOf } from './caller.js';
import { preferencesOf, routeViolations } from './route-request.js';
import { type Served, served } from './served.js';

/** Header of every answer to a chat: the identifier of its generation record. */
const GENERATION_ID = 'x-generation-id';

/** `byway.v1.ChatService` over the chat part. */
export function chatService(chat: Chat): Served {
  return served(
    ChatService,
    {
      async createChatCompletion(request, context) {
        const answer = await chat.complete(requestOf(request.chat, context));
        context.responseHeader.set(GENERATION_ID, answer.id);
        return fromDialect(CreateChatCompletionResponseSchema, answer);
      },
      async *streamChatCompletion(request, context) {
        let isFirst = true;
        for await (const chunk of chat.stream(requestOf(request.chat, context))) {
          if (isFirst) context.responseHeader.set(GENERATION_ID, chunk.id);
          isFirst = false;
          yield fromDialect(StreamChatCompletionResponseSchema, chunk);
        }
      },
    },
    {
      createChatCompletion: ({ chat: message }) => routeViolations(message ?? {}),
      streamChatCompletion: ({ chat: message }) => routeViolations(message ?? {}),
    },
  );
}

function requestOf(message: ChatMessage | undefined, context: HandlerContext): ChatRequest {
  if (message === undefined) throw new TypeError('the contract requires a chat');
  const { keyHash: apiKeyHash, ...principal } = principalOf(context, 'api_key');
  const { region, requestId } = callerOf(context);
  return {
    // The contract's message has the members of the dialect, and its rules hold.
    body: writeMessage(ChatRequestSchema, message) as unknown as ChatBody,
    preferences: preferencesOf(message.provider),
    caller: { ...principal, apiKeyHash, region },
    requestId,
    signal: context.signal,
  };
}

/** The message that says what the JSON says. */
function fromDialect<D extends DescMessage>(desc: D, json: object): MessageShape<D> {
  const read = readMessage(desc, json as JsonValue);
  if (read.ok) return read.message as MessageShape<D>;
  const faults = read.violations.map(({ field, message }) => `${field} ${message}`);
  throw new TypeError(`an answer does not fit ${desc.typeName}: ${faults.join('; ')}`);
}
