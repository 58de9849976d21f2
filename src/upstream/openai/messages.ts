/** The messages of a chat as this protocol takes them, above all those that are answers from before. */
import type { ChatMessage, JsonObject } from '../../chat/dialect.js';
import { textOf } from '../json.js';

/**
 * The messages; of answers only what was said. What else an answer has, most providers refuse to see again: they
 * don't know it. Where `thoughts` is given, thoughts that led to tool calls go along under that name: there they have
 * to come back.
 */
export function messagesFor(messages: readonly ChatMessage[], thoughts?: string): readonly JsonObject[] {
  return messages.map((message) => (message.role === 'assistant' ? answerFor(message, thoughts) : message));
}

function answerFor(message: ChatMessage, thoughts: string | undefined): JsonObject {
  const { reasoning, reasoning_details, annotations, images, refusal, ...rest } = message;
  const said = textOf(refusal) === undefined ? rest : { ...rest, refusal };
  const text = textOf(reasoning);
  const isWanted = thoughts !== undefined && text !== undefined && message.tool_calls !== undefined;
  return isWanted ? { [thoughts]: text, ...said } : said;
}
