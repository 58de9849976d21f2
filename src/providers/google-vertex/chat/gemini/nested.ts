/** Parses the texts that Gemini takes as JSON. */
import type { ChatMessage } from '../../../../formats/chat/types.js';
import { elements, members, textOf } from '../../../../formats/json.js';
import { argumentsIn, type NestedText, nestedReading } from '../../../common/nested-json.js';

/** Parses the arguments of calls, and the results of tools. A result that exceeds the bounds remains a text. */
export const readArgumentsAndResults = nestedReading((message) => [
  ...argumentsIn(message),
  ...resultIn(message),
]);

/** All texts of a result, joined. */
export function resultText({ content }: ChatMessage): string {
  if (typeof content === 'string') return content;
  return elements(content).map(textIn).join('');
}

function textIn(part: unknown): string {
  const { text, refusal } = members(part);
  return textOf(text) ?? textOf(refusal) ?? '';
}

function resultIn(message: ChatMessage): readonly NestedText[] {
  if (message.role !== 'tool' && message.role !== 'function') return [];
  return [{ owner: message, text: resultText(message), isRequired: false }];
}
