/** The messages and tools of a chat as a host takes them, above all messages that are answers from before. */
import type { ChatMessage, ChatTool, JsonObject } from '../../formats/chat/types.js';
import { isObject, textOf } from '../http/json.js';
import type { Quirks } from './quirks.js';

/**
 * The messages; of answers only what was said. What else an answer has, most providers refuse to see again: they
 * don't know it. Thoughts that led to tool calls go along where they have to come back.
 */
export function messagesFor(messages: readonly ChatMessage[], quirks: Quirks): readonly JsonObject[] {
  const translated = messages.map((message) =>
    message.role === 'assistant' ? answerFor(message, quirks) : message,
  );
  return quirks.isMarkless === true ? translated.map(unmarkedMessage) : translated;
}

/** The tools. */
export function toolsFor(tools: readonly ChatTool[], { isMarkless }: Quirks): readonly JsonObject[] {
  return isMarkless === true && Array.isArray(tools) ? tools.map(unmarkedTool) : tools;
}

function answerFor(message: ChatMessage, { thoughts }: Quirks): JsonObject {
  const { reasoning, reasoning_details, annotations, images, refusal, ...rest } = message;
  const translated = textOf(refusal) === undefined ? rest : { ...rest, refusal };
  const text = textOf(reasoning);
  const isWanted = thoughts !== undefined && text !== undefined && message.tool_calls !== undefined;
  return isWanted ? { [thoughts]: text, ...translated } : translated;
}

function unmarkedMessage(message: JsonObject): JsonObject {
  const { content, ...rest } = unmarked(message);
  if (!Array.isArray(content)) return content === undefined ? rest : { ...rest, content };
  return { ...rest, content: content.map((part) => (isObject(part) ? unmarked(part) : part)) };
}

function unmarkedTool(tool: JsonObject): JsonObject {
  const { function: described, ...rest } = unmarked(tool);
  return isObject(described) ? { ...rest, function: unmarked(described) } : rest;
}

function unmarked({ cache_control, ...rest }: JsonObject): JsonObject {
  return rest;
}
