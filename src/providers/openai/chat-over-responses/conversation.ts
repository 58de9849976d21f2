/** The messages of a chat as items of a Responses request. */

import { partsOfText, type TextOfPart } from '../../../formats/chat/content.js';
import { piecesInOrder } from '../../../formats/chat/thought-positions.js';
import type { ChatMessage, JsonObject, ToolCall } from '../../../formats/chat/types.js';
import { elements, isObject, members, textOf } from '../../../formats/json.js';
import { inputContent, outputContent } from './content.js';
import { itemsSentBack } from './sent-back.js';
import { thoughtItems } from './thoughts.js';

export interface ConversationRules {
  /** Whether the host knows the role `developer`. */
  readonly hasDevelopers: boolean;
  /** Whether it takes thoughts that are not encrypted. */
  readonly takesReadable: boolean;
}

export function inputItems(messages: readonly ChatMessage[], rules: ConversationRules): JsonObject[] {
  /** Ids of calls of custom tools, whose outputs are items of another type. */
  const custom = new Set<unknown>();
  return messages.flatMap((message) => {
    if (message.role === 'tool') return [outputItem(message, custom)];
    if (message.role !== 'assistant') return [messageItem(message, rules)];
    for (const { id, type } of callsOf(message)) if (type === 'custom') custom.add(id);
    return itemsSentBack(message) ?? answerItems(message, rules);
  });
}

function messageItem({ role, content }: ChatMessage, { hasDevelopers }: ConversationRules): JsonObject {
  const spoken = role === 'developer' && !hasDevelopers ? 'system' : role;
  return { type: 'message', role: spoken, content: inputContent(content) };
}

function outputItem({ tool_call_id, content }: ChatMessage, custom: ReadonlySet<unknown>): JsonObject {
  const type = custom.has(tool_call_id) ? 'custom_tool_call_output' : 'function_call_output';
  return { type, call_id: tool_call_id, output: outputContent(content) };
}

function callsOf({ tool_calls }: ChatMessage): readonly ToolCall[] {
  return elements(tool_calls).filter(isObject);
}

/** A thought is refused that leads to nothing. */
function answerItems(message: ChatMessage, { takesReadable }: ConversationRules): JsonObject[] {
  const texts = [...partsOfText(message.content), ...refusalOf(message)];
  const pieces = piecesInOrder(
    texts.map(({ text }) => text),
    thoughtItems(message, takesReadable),
    callsOf(message),
  );
  const items: JsonObject[] = [];
  let spoken: JsonObject[] = [];
  const speak = () => {
    if (spoken.length > 0) items.push({ type: 'message', role: 'assistant', content: wordsOf(spoken) });
    spoken = [];
  };
  for (const piece of pieces) {
    if ('text' in piece) {
      if (piece.text !== '') spoken.push(partOf(piece.text, texts[piece.part]?.part ?? {}));
      continue;
    }
    speak();
    items.push('call' in piece ? callItem(piece.call) : piece.thought);
  }
  speak();
  return items.slice(0, items.findLastIndex(({ type }) => type !== 'reasoning') + 1);
}

/** What the assistant said instead of an answer, unless its content says it too. */
function refusalOf({ refusal, content }: ChatMessage): TextOfPart[] {
  const text = textOf(refusal);
  return text === undefined || text === content ? [] : [{ text, part: { type: 'refusal' } }];
}

function partOf(text: string, { type }: JsonObject): JsonObject {
  return type === 'refusal' ? { type, refusal: text } : { type: 'output_text', text, annotations: [] };
}

/** A text alone is one for every host; only a refusal needs parts. */
function wordsOf(parts: readonly JsonObject[]): string | readonly JsonObject[] {
  const isPlain = parts.every(({ type }) => type === 'output_text');
  return isPlain ? parts.map(({ text }) => text).join('') : parts;
}

function callItem(call: ToolCall): JsonObject {
  if (call.type === 'custom' || isObject(call.custom)) {
    const { name, input } = members(call.custom);
    return { type: 'custom_tool_call', call_id: call.id, name, input: textOf(input) ?? '' };
  }
  const { name, arguments: given } = members(call.function);
  return {
    type: 'function_call',
    call_id: call.id,
    name,
    arguments: typeof given === 'string' && given.trim() !== '' ? given : NO_ARGUMENTS,
  };
}

const NO_ARGUMENTS = '{}';
