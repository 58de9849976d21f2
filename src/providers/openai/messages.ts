/** Messages and tools in the form that a host takes. */
import type { ChatMessage, ChatTool, JsonObject } from '../../formats/chat/types.js';
import { isObject, textOf } from '../http/json.js';
import type { Quirks } from './quirks.js';

/**
 * The messages, with earlier answers reduced to the members that most providers take back. Reasoning that led to tool
 * calls is sent where the host requires it.
 */
export function messagesFor(messages: readonly ChatMessage[], quirks: Quirks): readonly JsonObject[] {
  const translated = messages.map((message) =>
    message.role === 'assistant' ? answerFor(message, quirks) : message,
  );
  return quirks.refusesCacheControl === true ? translated.map(messageWithoutCacheControl) : translated;
}

export function toolsFor(tools: readonly ChatTool[], { refusesCacheControl }: Quirks): readonly JsonObject[] {
  return refusesCacheControl === true && Array.isArray(tools) ? tools.map(toolWithoutCacheControl) : tools;
}

function answerFor(message: ChatMessage, { reasoningMember }: Quirks): JsonObject {
  const { reasoning, reasoning_details, annotations, images, provider_blocks, refusal, ...rest } = message;
  const translated = textOf(refusal) === undefined ? rest : { ...rest, refusal };
  const text = textOf(reasoning);
  const isWanted = reasoningMember !== undefined && text !== undefined && message.tool_calls !== undefined;
  return isWanted ? { [reasoningMember]: text, ...translated } : translated;
}

function messageWithoutCacheControl(message: JsonObject): JsonObject {
  const { content, ...rest } = withoutCacheControl(message);
  if (!Array.isArray(content)) return content === undefined ? rest : { ...rest, content };
  return { ...rest, content: content.map((part) => (isObject(part) ? withoutCacheControl(part) : part)) };
}

function toolWithoutCacheControl(tool: JsonObject): JsonObject {
  const { function: described, ...rest } = withoutCacheControl(tool);
  return isObject(described) ? { ...rest, function: withoutCacheControl(described) } : rest;
}

function withoutCacheControl({ cache_control, ...rest }: JsonObject): JsonObject {
  return rest;
}
