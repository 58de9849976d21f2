/** Ids of items and of calls, which other hosts, gateways and clients made up, in the form that the host takes. */
import { createHash } from 'node:crypto';
import type { ResponsesContract } from '../../catalog/responses-contract.js';
import type { JsonObject } from '../../formats/chat/types.js';
import { isObject, textOf } from '../../formats/json.js';
import { mapped } from '../fit/step.js';
import { changed, itemsOf, type ResponsesStep, typeOf, withMembers } from './step.js';

/** How ids of items begin that are whole without one. */
const PREFIXES: ReadonlyMap<unknown, string> = new Map([
  ['message', 'msg'],
  ['function_call', 'fc'],
  ['custom_tool_call', 'ctc'],
  ['reasoning', 'rs'],
]);

/** Whether nothing refers to the item by its id: it says all by itself. */
export function isWholeWithoutId(item: JsonObject): boolean {
  return PREFIXES.has(typeOf(item));
}

const PLAIN = /^[a-zA-Z0-9_-]+$/;

/** Items go without an id that the host does not take: nothing refers to it. Ids of calls stay the same from request to request. */
export const fitIds: ResponsesStep = (call, contract) => {
  const items = itemsOf(call);
  if (items.length === 0 || (contract.maxId === null && !contract.typedIds)) return call;
  const used = new Set<string>();
  return withMembers(call, {
    input: mapped(items, (item) => {
      if (!isObject(item)) return item;
      const id = typeof item.id === 'string' ? item.id : undefined;
      const isTaken = id === undefined || isIdTaken(id, item, used, contract);
      if (id !== undefined) used.add(id);
      const callId = textOf(item.call_id);
      return changed(item, {
        ...(!isTaken && { id: undefined }),
        ...(callId !== undefined && { call_id: shortened(callId, contract) }),
      });
    }),
  });
};

function isIdTaken(
  id: string,
  item: JsonObject,
  used: ReadonlySet<string>,
  { typedIds, maxId }: ResponsesContract,
): boolean {
  const prefix = PREFIXES.get(typeOf(item));
  if (prefix === undefined) return true;
  const isShort = maxId === null || id.length <= maxId;
  return isShort && (!typedIds || (id.startsWith(prefix) && PLAIN.test(id) && !used.has(id)));
}

/** Another id has another one. */
function shortened(id: string, { maxId }: ResponsesContract): string {
  if (maxId === null || id.length <= maxId) return id;
  return `call_${createHash('sha256').update(id).digest('base64url')}`.slice(0, maxId);
}
