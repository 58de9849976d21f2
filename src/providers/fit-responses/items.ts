/** Items of types that the host has not, and members of items that say nothing. */
import type { JsonObject } from '../../formats/chat/types.js';
import { elements, isObject, members, textOf } from '../../formats/json.js';
import { COMPACTED, compactedText } from '../../formats/responses/content.js';
import { mapped } from '../fit/step.js';
import { changed, itemsOf, type ResponsesCall, type ResponsesStep, typeOf, withMembers } from './step.js';

export const fitItems: ResponsesStep = (given, contract) => {
  const { itemTypes, refusedItemMembers } = contract;
  const call = itemTypes === null ? given : withKnownItems(given, itemTypes);
  return withMembers(call, {
    ...(Array.isArray(call.body.input) && {
      input: mapped(itemsOf(call), (item) => withoutIdle(item, refusedItemMembers)),
    }),
  });
};

/** Members that SDKs fill with null where there is nothing, and that hosts take no null for. */
const NULLS = ['id', 'status', 'phase', 'namespace', 'encrypted_content'];

/** OpenAI refuses the `status: null` that its own SDK puts into reasoning. */
function withoutIdle(item: unknown, refused: readonly string[]): unknown {
  if (!isObject(item)) return item;
  const idle = [...NULLS.filter((name) => item[name] === null), ...refused.filter((name) => name in item)];
  return idle.length === 0 ? item : changed(item, Object.fromEntries(idle.map((name) => [name, undefined])));
}

/** Tools among the items join the others; what agents tell each other is told by the user; anything else is left out. */
function withKnownItems(call: ResponsesCall, known: ReadonlySet<string>): ResponsesCall {
  const items = itemsOf(call);
  if (items.every((item) => isKnown(item, known))) return call;
  const tools = [...elements(call.body.tools)];
  const input = items.flatMap((item, at) => {
    if (!isObject(item) || isKnown(item, known)) return [item];
    if (item.type === 'additional_tools') {
      tools.push(...elements(item.tools));
      return [];
    }
    const text = textIn(item);
    call.onAdapted?.(`input[${at}]`, text === undefined ? 'left_out' : 'changed');
    return text === undefined ? [] : [{ type: 'message', role: 'user', content: text }];
  });
  return withMembers(call, { input, ...(tools.length > 0 && { tools }) });
}

function isKnown(item: unknown, known: ReadonlySet<string>): boolean {
  return !isObject(item) || known.has(String(typeOf(item)));
}

/** What an item says, where it is words. */
function textIn(item: JsonObject): string | undefined {
  if (COMPACTED.has(String(item.type))) return compactedText(item);
  const { content, output, text } = item;
  const said = textOf(content) ?? textOf(output) ?? textOf(text);
  if (said !== undefined) return said;
  const parts = elements(Array.isArray(content) ? content : output);
  const texts = parts.flatMap((part) => textOf(members(part).text) ?? []);
  return texts.length === 0 ? undefined : texts.join('\n');
}
