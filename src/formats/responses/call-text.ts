import { exactJson } from '../../base/json/json-body.js';
import { isObject, members, textOf } from '../json.js';

/** The members of calls and outputs that are texts, and what they are where there is nothing. */
const TEXTS: ReadonlyMap<unknown, readonly [name: string, nothing: string]> = new Map([
  ['function_call', ['arguments', '{}']],
  ['custom_tool_call', ['input', '']],
  ['function_call_output', ['output', '']],
  ['custom_tool_call_output', ['output', '']],
]);

/**
 * A call whose arguments are a text, and an output that is a text or a list of parts: what clients send as JSON is written
 * down. Any other item, and one that is so already, is the same.
 */
export function callAsText(item: unknown): unknown {
  if (!isObject(item)) return item;
  const [name, nothing] = TEXTS.get(item.type) ?? [];
  if (name === undefined) return item;
  const value = item[name];
  if (typeof value === 'string' || (name === 'output' && isListOfParts(value))) return item;
  return { ...item, [name]: value === undefined || value === null ? nothing : exactJson(value) };
}

/** Parts have types; any other list is what a tool has put out. */
export function isListOfParts(output: unknown): output is readonly unknown[] {
  return Array.isArray(output) && output.every((part) => textOf(members(part).type) !== undefined);
}
