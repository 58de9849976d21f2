/** Custom tools take a text. In a chat they are functions, of which that text is the only argument. */
import type { JsonObject } from '../json.js';
import { isObject, members, textOf } from '../json.js';

const INPUT = 'input';

export const CUSTOM_PARAMETERS: JsonObject = {
  type: 'object',
  properties: { [INPUT]: { type: 'string', description: 'The input of the tool: plain text, as it is.' } },
  required: [INPUT],
  additionalProperties: false,
};

/** The arguments of the function, as JSON. */
export function argumentsOfInput(input: string): string {
  return JSON.stringify({ [INPUT]: input });
}

/** What a model is told of the form of the input, which nothing enforces; undefined if any text will do. */
export function grammarWords(format: unknown): string | undefined {
  const { type, grammar, ...flat } = members(format);
  if (type !== 'grammar') return undefined;
  const { syntax, definition } = isObject(grammar) ? grammar : flat;
  const text = textOf(definition);
  return text && `The input has to match this grammar${syntax ? ` (${String(syntax)})` : ''}:\n${text}`;
}
