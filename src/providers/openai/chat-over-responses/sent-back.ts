/** The items of an earlier answer, as its message was sent back with them. */

import { partsOfText } from '../../../formats/chat/content.js';
import { REASONING_FORMAT } from '../../../formats/chat/reasoning-details.js';
import type { ChatMessage, JsonObject, ToolCall } from '../../../formats/chat/types.js';
import { elements, isObject, members, textOf } from '../../../formats/json.js';
import { BREAK } from '../responses/thoughts.js';

/** Undefined for a message without any, of another format, or whose words have been changed since. */
export function itemsSentBack(message: ChatMessage): JsonObject[] | undefined {
  const sent = itemsOf(message);
  if (sent.length === 0 || isEdited(message, sent)) return undefined;
  return withCallsOf(message.tool_calls ?? [], sent);
}

/** Whether it has items that are not sent, since somebody has changed what the message says. */
export function isLeftOut(message: ChatMessage): boolean {
  const sent = itemsOf(message);
  return sent.length > 0 && isEdited(message, sent);
}

function itemsOf({ provider_blocks }: ChatMessage): readonly JsonObject[] {
  const { format, blocks } = members(provider_blocks);
  return format === REASONING_FORMAT.openai ? elements(blocks).filter(isObject) : [];
}

/** Clients may leave the words to the items. */
function isEdited({ content }: ChatMessage, items: readonly JsonObject[]): boolean {
  const said = partsOfText(content)
    .map(({ text }) => text)
    .join('')
    .trim();
  const texts = items.filter(({ type }) => type === 'message').map(textIn);
  return (
    said !== '' &&
    said !==
      texts
        .filter((text) => text !== '')
        .join(BREAK)
        .trim()
  );
}

function textIn({ content }: JsonObject): string {
  return elements(content)
    .map((part) => textOf(members(part).text) ?? '')
    .join('');
}

/** Calls have the ids and names of the message's own, which results and tools have; without as many, all are left out. */
function withCallsOf(calls: readonly ToolCall[], items: readonly JsonObject[]): JsonObject[] {
  const called = items.filter(isCall);
  const isSame = called.length === calls.length;
  return items.flatMap((item) => {
    if (!isCall(item)) return [asInput(item)];
    const call = calls[called.indexOf(item)];
    if (!isSame || call === undefined) return [];
    const { name } = members(call.custom ?? call.function);
    return [{ ...asInput(item), call_id: call.id, name: name ?? item.name }];
  });
}

function isCall({ type }: JsonObject): boolean {
  return type === 'function_call' || type === 'custom_tool_call';
}

/** Items that say all by themselves go without their ids, which would be looked for among what is stored. */
const WHOLE: ReadonlySet<unknown> = new Set(['message', 'function_call', 'custom_tool_call']);

function asInput(item: JsonObject): JsonObject {
  const { id, status, ...rest } = item;
  if (!WHOLE.has(item.type)) return item.type === 'reasoning' ? { ...rest, id } : item;
  if (item.type !== 'message') return rest;
  return { ...rest, content: elements(item.content).map((part) => withoutLogprobs(members(part))) };
}

function withoutLogprobs({ logprobs, ...part }: JsonObject): JsonObject {
  return part;
}
