/** Messages and tools in the form that a host accepts. */
import type { Quirks } from '../../../catalog/quirks.js';
import type { ChatMessage, ChatTool, JsonObject } from '../../../formats/chat/types.js';
import { isObject, textOf } from '../../../formats/json.js';
import { stepsIn } from '../../fit/chat/thoughts.js';
import { toolSchemaFor } from './schema.js';

/**
 * The messages. Earlier answers are reduced to the members that most providers accept back. Reasoning that led to tool
 * calls is sent if the host requires it.
 */
export function messagesFor(messages: readonly ChatMessage[], quirks: Quirks): readonly JsonObject[] {
  const steps = quirks.reasoningMember == null ? NONE : new Set(stepsIn(messages));
  const translated = messages.map((message) => messageFor(message, quirks, steps.has(message)));
  return quirks.cacheControl === false ? translated.map(messageWithoutCacheControl) : translated;
}

export function toolsFor(tools: readonly ChatTool[], quirks: Quirks): readonly JsonObject[] {
  const { cacheControl, schemaWithout = [] } = quirks;
  if (!Array.isArray(tools)) return tools;
  const translated = tools.map((tool: ChatTool) => toolSchemaFor(tool, schemaWithout));
  return cacheControl === false ? translated.map(toolWithoutCacheControl) : translated;
}

const NONE: ReadonlySet<ChatMessage> = new Set();

function messageFor(message: ChatMessage, quirks: Quirks, isStep: boolean): JsonObject {
  if (message.role === 'assistant') return answerFor(message, quirks, isStep);
  const isRenamed = message.role === 'developer' && quirks.developerRole !== true;
  return isRenamed ? { ...message, role: 'system' } : message;
}

function answerFor(message: ChatMessage, { reasoningMember = null }: Quirks, isStep: boolean): JsonObject {
  const { reasoning, reasoning_details, annotations, images, provider_blocks, refusal, ...rest } = message;
  const translated = textOf(refusal) === undefined ? rest : { ...rest, refusal };
  const text = textOf(reasoning);
  const isWanted = reasoningMember !== null && text !== undefined && isStep;
  return isWanted ? { [reasoningMember]: text, ...translated } : translated;
}

function messageWithoutCacheControl(message: JsonObject): JsonObject {
  const rest = withoutCacheControl(message);
  const { content } = rest;
  if (!Array.isArray(content)) return rest;
  return { ...rest, content: content.map((part) => (isObject(part) ? withoutCacheControl(part) : part)) };
}

function toolWithoutCacheControl(tool: JsonObject): JsonObject {
  const rest = withoutCacheControl(tool);
  return isObject(rest.function) ? { ...rest, function: withoutCacheControl(rest.function) } : rest;
}

function withoutCacheControl(given: JsonObject): JsonObject {
  if (given.cache_control === undefined) return given;
  const { cache_control, ...rest } = given;
  return rest;
}
