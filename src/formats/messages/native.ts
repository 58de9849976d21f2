import type { JsonObject } from '../chat/types.js';
import { elements, isObject, members } from '../json.js';
import { isThought, markIn } from './thoughts.js';
import type { MessagesBody } from './types.js';

/**
 * The request as an endpoint that speaks Messages gets it: without the gateway's own members (`provider`, `models`,
 * `route`) and marks. Thinking with a budget is refused where the turn with tools that goes on did not begin with a
 * thought of Claude's, as one that another model began: it is left out there.
 */
export function withoutOwn(body: MessagesBody): MessagesBody {
  const { provider, models, route, ...rest } = body;
  const hasMarks = elements(body.messages).some(hasMark);
  const messages = hasMarks ? body.messages.flatMap(withoutMarks) : body.messages;
  const isRefused = members(body.thinking).type === 'enabled' && !beginsWithThought(elements(messages));
  return { ...(isRefused ? withoutThinking(rest) : rest), messages };
}

function blocksOf(message: unknown): readonly unknown[] {
  return elements(members(message).content);
}

function isMarked(block: unknown): boolean {
  return isObject(block) && markIn(block) !== undefined;
}

function hasMark(message: unknown): boolean {
  return blocksOf(message).some(isMarked);
}

/** A message that was nothing but marks is left out: the API refuses empty ones. */
function withoutMarks(message: unknown): unknown[] {
  if (!isObject(message) || !hasMark(message)) return [message];
  const content = blocksOf(message).filter((block) => !isMarked(block));
  return content.length === 0 ? [] : [{ ...message, content }];
}

/** Whether the assistant's turn that results of tools continue begins with a thought, or there is none. */
function beginsWithThought(messages: readonly unknown[]): boolean {
  const start = messages.findLastIndex((message) => isPrompt(message)) + 1;
  const first = messages.slice(start).find((message) => members(message).role === 'assistant');
  return first === undefined || isThought(members(blocksOf(first)[0]));
}

/** A message of the user that does not only bring results of tools. */
function isPrompt(message: unknown): boolean {
  if (members(message).role !== 'user') return false;
  const blocks = blocksOf(message);
  return blocks.length === 0 || blocks.some((block) => members(block).type !== 'tool_result');
}

/** Without thinking, edits that clear thoughts are refused too. */
function withoutThinking({ thinking, context_management, ...rest }: JsonObject): JsonObject {
  const { edits, ...others } = members(context_management);
  const kept = elements(edits).filter((edit) => !String(members(edit).type).startsWith('clear_thinking'));
  const isKept = kept.length > 0 || Object.keys(others).length > 0;
  return { ...rest, ...(isKept && { context_management: { ...others, edits: kept } }) };
}
