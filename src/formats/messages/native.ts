import type { JsonObject } from '../chat/types.js';
import { elements, isObject, members } from '../json.js';
import { isThought, markIn } from './thoughts.js';
import type { MessagesBody } from './types.js';

/**
 * The request the way an endpoint that speaks Messages gets it: without the gateway's own members (`provider`,
 * `models`, `route`) and without marks. The API refuses a thinking budget if the current turn uses tools and did not
 * begin with a thought of Claude's, so thinking is then left out. That is so for turns that another model began.
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

/** A message of nothing but marks is left out, since the API refuses empty messages. */
function withoutMarks(message: unknown): unknown[] {
  if (!isObject(message) || !hasMark(message)) return [message];
  const content = blocksOf(message).filter((block) => !isMarked(block));
  return content.length === 0 ? [] : [{ ...message, content }];
}

/** Whether the assistant's turn that tool results continue begins with a thought. True if there is no such turn. */
export function beginsWithThought(messages: readonly unknown[]): boolean {
  const start = messages.findLastIndex((message) => isPrompt(message)) + 1;
  const first = messages.slice(start).find((message) => members(message).role === 'assistant');
  return first === undefined || isThought(members(blocksOf(first)[0]));
}

/** Whether a user's message has no results of tools: with them it belongs to the assistant's turn. */
function isPrompt(message: unknown): boolean {
  if (members(message).role !== 'user') return false;
  const blocks = blocksOf(message);
  return blocks.every((block) => members(block).type !== 'tool_result');
}

/** Leaves out thinking, and edits that clear thoughts, which are refused without it. */
export function withoutThinking({ thinking, context_management, ...rest }: JsonObject): JsonObject {
  const { edits, ...others } = members(context_management);
  const kept = elements(edits).filter((edit) => !String(members(edit).type).startsWith('clear_thinking'));
  const isKept = kept.length > 0 || Object.keys(others).length > 0;
  return { ...rest, ...(isKept && { context_management: { ...others, edits: kept } }) };
}
