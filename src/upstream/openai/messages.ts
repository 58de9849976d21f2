/** The messages of a chat as this protocol takes them: thoughts are told in our dialect alone. */
import type { ChatMessage, JsonObject } from '../../chat/dialect.js';
import { textOf } from '../json.js';

/**
 * The messages without the thoughts of earlier answers, which most providers refuse as members that they do not know.
 * Where `thoughts` is given, thoughts that led to tool calls go along under that name: there they have to come back.
 */
export function messagesFor(messages: readonly ChatMessage[], thoughts?: string): readonly JsonObject[] {
  return messages.map((message) =>
    message.role === 'assistant' ? withoutThoughts(message, thoughts) : message,
  );
}

function withoutThoughts(message: ChatMessage, thoughts: string | undefined): JsonObject {
  const { reasoning, reasoning_details, ...said } = message;
  const text = textOf(reasoning);
  const isWanted = thoughts !== undefined && text !== undefined && message.tool_calls !== undefined;
  return isWanted ? { [thoughts]: text, ...said } : said;
}
