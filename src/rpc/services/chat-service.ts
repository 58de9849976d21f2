import type { JsonObject } from '@bufbuild/protobuf';
import type { HandlerContext } from '@connectrpc/connect';
import { ChatService } from '../../../gen/byway/v1/chat_pb.js';
import { mapStream } from '../../base/push-stream.js';
import type { ChatBody } from '../../formats/chat/types.js';
import { CLAUDE_CODE_SESSION, sessionOf } from '../../formats/session.js';
import type { Chat } from '../../inference/chat.js';
import type { ChatRequest } from '../../inference/chat-request.js';
import { chunkWithoutReasoning, withoutReasoning } from '../../inference/reasoning/hidden-reasoning.js';
import { isReasoningHidden, reasoningViolations } from '../../inference/reasoning/reasoning.js';
import { preferencesOf, routeViolations } from '../../routing/plan/preferences.js';
import { callerOf, principalOf } from '../caller.js';
import type { OpenMethod, ServiceDefinition } from '../define-service.js';
import { defineOpenService } from '../open-methods.js';

/** Header of every answer to a chat: the identifier of its generation record. */
const GENERATION_ID = 'x-generation-id';

/** Names beta features of Anthropic's, as its own clients do; the only header of a client that reaches a provider. */
const ANTHROPIC_BETA = 'anthropic-beta';

/** Counts open streams. */
export interface StreamMeter {
  streamOpened(): void;
  streamClosed(): void;
}

export function chatService(chat: Chat, meter: StreamMeter): ServiceDefinition {
  return defineOpenService(ChatService, {
    createChatCompletion: {
      violations,
      async call(body, context) {
        const request = requestOf(body, context);
        const answer = await chat.complete(request);
        context.responseHeader.set(GENERATION_ID, answer.id);
        return isReasoningHidden(request.body) ? withoutReasoning(answer) : answer;
      },
    },
    streamChatCompletion: {
      violations,
      call(body, context) {
        const request = requestOf(body, context);
        const isHidden = isReasoningHidden(request.body);
        let isFirst = true;
        meter.streamOpened();
        return mapStream(chat.stream(request), {
          items(chunks) {
            if (isFirst && chunks[0] !== undefined) context.responseHeader.set(GENERATION_ID, chunks[0].id);
            isFirst = false;
            return isHidden ? chunks.flatMap((chunk) => chunkWithoutReasoning(chunk) ?? []) : chunks;
          },
          closed: () => meter.streamClosed(),
        });
      },
    },
  });
}

const violations: OpenMethod['violations'] = (body) => {
  const chat = chatBody(body);
  return [...routeViolations(chat), ...reasoningViolations(chat)];
};

function requestOf(json: JsonObject, context: HandlerContext): ChatRequest {
  const { keyHash: apiKeyHash, ...principal } = principalOf(context, 'api_key');
  const { region, requestId } = callerOf(context);
  const body = chatBody(json);
  const betas = betasIn(context.requestHeader.get(ANTHROPIC_BETA));
  return {
    body,
    ...(betas.length > 0 && { betas }),
    preferences: preferencesOf(body.provider),
    caller: { apiKeyHash, region, ...principal },
    requestId,
    session: sessionOf(context.requestHeader.get(CLAUDE_CODE_SESSION), json),
    signal: context.signal,
  };
}

/** More names than anybody needs; longer ones are nobody's. */
const MAX_BETAS = 50;
const BETA = /^[\w.-]{1,100}$/;

function betasIn(header: string | null): string[] {
  const names = (header ?? '').split(',', MAX_BETAS).map((name) => name.trim());
  return names.filter((name) => BETA.test(name));
}

/** The contract's rules hold for the body by now, or are told of beside what is found here. */
function chatBody(body: JsonObject): ChatBody {
  return body as unknown as ChatBody;
}
