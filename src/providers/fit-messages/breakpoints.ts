/** Marks of the cache: where they stand, how many, and in which order. */
import type { MessagesContract } from '../../catalog/messages-contract.js';
import type { JsonObject } from '../../formats/chat/types.js';
import { elements, isObject } from '../../formats/json.js';
import { isThought } from '../../formats/messages/thoughts.js';
import { mapped } from '../fit/step.js';
import { type Block, changedBlocks, eachBlock, isBlank, isToolResult } from './blocks.js';
import { type MessagesCall, type MessagesStep, withMembers, withoutNames } from './step.js';

export const fitBreakpoints: MessagesStep = (call, contract) => {
  const marks = breakpointsIn(call.body);
  if (marks.length === 0) return call;
  const fitted = fittedBreakpoints(marks, call.betas, contract);
  if (fitted.size === 0) return call;
  call.onAdapted?.('cache_control', 'changed');
  return withBreakpoints(call, fitted);
};

/** What a mark is on; for that of the whole request the request itself. */
interface Marked {
  readonly owner: JsonObject;
  readonly mark: JsonObject;
}

/** In the order in which hosts read them: tools, system, messages, and the request's own. */
function breakpointsIn(body: JsonObject): readonly Marked[] {
  const found: Marked[] = [];
  const look = (owner: unknown): void => {
    if (!isObject(owner)) return;
    const { cache_control } = owner;
    if (cache_control !== undefined && cache_control !== null)
      found.push({ owner, mark: isObject(cache_control) ? cache_control : {} });
    if (isToolResult(owner)) elements(owner.content).forEach(look);
  };
  elements(body.tools).forEach(look);
  elements(body.system).forEach(look);
  for (const message of elements(body.messages))
    if (isObject(message)) elements(message.content).forEach(look);
  look(body);
  return found;
}

/** What the marks are to be that are not what they are, by what they are on; null = none. */
function fittedBreakpoints(
  marks: readonly Marked[],
  betas: readonly string[],
  { maxBreakpoints, scopeBeta }: MessagesContract,
): ReadonlyMap<JsonObject, JsonObject | null> {
  const isScoped = scopeBeta !== null && betas.includes(scopeBeta);
  const changed = new Map<JsonObject, JsonObject | null>();
  const taken = marks.filter(({ owner, mark }) => {
    const isTaken = mark.type === 'ephemeral' && isMarkable(owner);
    if (!isTaken) changed.set(owner, null);
    return isTaken;
  });
  const excess = taken.length - maxBreakpoints;
  // The first holds what changes least, the last ones what is asked for next.
  for (const { owner } of excess > 0 ? taken.slice(1, 1 + excess) : []) changed.set(owner, null);
  let isShort = false;
  for (const { owner, mark } of taken) {
    if (changed.has(owner)) continue;
    const isHour: boolean = mark.ttl === '1h' && !isShort;
    const fitted = {
      type: 'ephemeral',
      ...(isHour ? { ttl: '1h' } : mark.ttl === '5m' && { ttl: '5m' }),
      ...(isScoped && mark.scope !== undefined && { scope: mark.scope }),
    };
    isShort ||= !isHour;
    if (!isSame(mark, fitted)) changed.set(owner, fitted);
  }
  return changed;
}

function isMarkable(owner: Block): boolean {
  if (owner.defer_loading === true) return false;
  return !isThought(owner) && (owner.type !== 'text' || !isBlank(owner.text));
}

function isSame(mark: JsonObject, fitted: JsonObject): boolean {
  const names = Object.keys(mark);
  return names.length === Object.keys(fitted).length && names.every((name) => mark[name] === fitted[name]);
}

function withBreakpoints(
  call: MessagesCall,
  fitted: ReadonlyMap<JsonObject, JsonObject | null>,
): MessagesCall {
  const { body } = call;
  const remarked = <T>(owner: T): T => {
    const mark = isObject(owner) ? fitted.get(owner) : undefined;
    if (mark === undefined) return owner;
    return mark === null
      ? (withoutNames(owner as JsonObject, 'cache_control') as T)
      : { ...owner, cache_control: mark };
  };
  const change = { isMeant: (block: Block) => fitted.has(block), change: (block: Block) => remarked(block) };
  return withMembers(
    { ...call, body: remarked(body) },
    {
      ...(Array.isArray(body.tools) && { tools: mapped(body.tools, remarked) }),
      ...(Array.isArray(body.system) && { system: changedBlocks(body.system, change, 'system', 0) }),
      messages: eachBlock(elements(body.messages), change),
    },
  );
}
