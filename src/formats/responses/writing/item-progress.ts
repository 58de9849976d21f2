/** What of an item of a native stream has been sent, and what has not. */
import { elements, type JsonObject, textOf } from '../../json.js';
import type { UnnumberedEvent } from './item-events.js';
import type { PartWords } from './parts.js';
import { itemEvents } from './unfolded-item.js';

export type PartIndex = PartWords['index'];

export const ADDED = 'response.output_item.added';

export interface ItemProgress {
  /** In the output, as clients are told. */
  readonly index: number;
  id: string | undefined;
  /** Undefined until an event has told it. */
  type: string | undefined;
  call: { readonly id: string | undefined };
  /** Of the events that came, by `nameOf`. */
  readonly names: Set<string>;
  /** What grew last: most events are about the same as the one before. */
  growing: { readonly type: unknown; readonly part: unknown } | undefined;
  /** By the names of events without their numbers. */
  readonly annotations: Map<string, number>;
  /** The numbers of its parts, in their order. */
  readonly parts: Readonly<Record<PartIndex, Set<number>>>;
  /** Ends of parts, and of what grows of a call, that came. */
  ends: number;
  isBegun: boolean;
  isDone: boolean;
}

/** One that has begun as `item`, or that something was told of. */
export function progressOf(index: number, item: JsonObject): ItemProgress {
  const told: ItemProgress = {
    index,
    ...identityOf(item),
    names: new Set(),
    growing: undefined,
    annotations: new Map(),
    parts: { content_index: new Set(), summary_index: new Set() },
    ends: 0,
    isBegun: false,
    isDone: false,
  };
  // Hosts begin items with what is known of them.
  for (const event of itemEvents(item, index)) {
    const { type, content_index, summary_index } = event;
    if (typeof event.delta === 'string' || 'annotation' in event || PART_ADDED.test(type)) note(told, event);
    if (typeof content_index === 'number') told.parts.content_index.add(content_index);
    if (typeof summary_index === 'number') told.parts.summary_index.add(summary_index);
  }
  return told;
}

const PART_ADDED = /part\.added$/;

function identityOf({ id, type, call_id }: JsonObject): Pick<ItemProgress, 'id' | 'type' | 'call'> {
  return { id: textOf(id), type: textOf(type), call: { id: textOf(call_id) } };
}

/** That the event has come, with its place. */
export function note(told: ItemProgress, event: JsonObject): void {
  const { type, content_index, summary_index, delta } = event;
  if (delta === '') return;
  if (typeof delta === 'string') {
    const part = content_index ?? summary_index;
    const { growing } = told;
    if (growing !== undefined && growing.type === type && growing.part === part) return;
    told.growing = { type, part };
  }
  told.names.add(nameOf(event));
  if (type === ADDED) told.isBegun = true;
  else if (isEnd(event)) told.ends += 1;
}

/** Of a part, after whose text nothing of it comes, or of what a call is given. */
function isEnd({ type, part }: JsonObject): boolean {
  return typeof type === 'string' && type.endsWith('.done') && (part !== undefined || GIVEN.has(type));
}

const GIVEN: ReadonlySet<string> = new Set([
  'response.function_call_arguments.done',
  'response.custom_tool_call_input.done',
]);

/** The events about the whole item, but for its last, that have not come. It is done with that one. */
export function endOf(told: ItemProgress, item: JsonObject): UnnumberedEvent[] {
  if (isWhole(told, item)) {
    told.isDone = true;
    return [];
  }
  if (told.type === undefined) told.id = textOf(item.id);
  const inContent = numbering(told.parts.content_index, elements(item.content).length);
  const inSummary = numbering(told.parts.summary_index, elements(item.summary).length);
  const placed = itemEvents(item, told.index)
    .slice(0, -1)
    .map(({ content_index, summary_index, ...event }) => ({
      ...event,
      ...('item_id' in event && told.id !== undefined && { item_id: told.id }),
      ...(typeof content_index === 'number' && { content_index: inContent(content_index) }),
      ...(typeof summary_index === 'number' && { summary_index: inSummary(summary_index) }),
    }));
  const rest = unsent(told, placed);
  Object.assign(told, identityOf(item), { isDone: true });
  return rest;
}

/** Whether all of it has come, as of nearly every item. */
function isWhole({ isBegun, ends }: ItemProgress, item: JsonObject): boolean {
  const { content, summary } = item;
  const given = 'arguments' in item || 'input' in item ? 1 : 0;
  return isBegun && ends === elements(content).length + elements(summary).length + given;
}

/** The number of the part at a place. Hosts count from whatever number: then parts are in their order. */
function numbering(numbers: ReadonlySet<number>, count: number): (at: number) => number {
  const all = [...numbers];
  if (all.every((number) => number < count)) return (at) => at;
  return (at) => all[at] ?? (all.at(-1) ?? 0) + 1 + at - all.length;
}

/**
 * Those that have not come; they count as told. What has grown by some pieces is told whole by its end, which may say it in other
 * words. Annotations of a text that has ended are in that.
 */
export function unsent(told: ItemProgress, events: readonly UnnumberedEvent[]): UnnumberedEvent[] {
  return events.filter((event) => {
    const name = nameOf(event);
    if (told.names.has(name) || ('annotation' in event && told.names.has(nameOf(endOfText(event)))))
      return false;
    if (event.delta === '') return false;
    told.names.add(name);
    return true;
  });
}

function endOfText({ content_index }: JsonObject): JsonObject {
  return { type: 'response.output_text.done', content_index };
}

/** What names of the same events are in the public document of the protocol: https://github.com/openresponses/openresponses. */
const SAME: ReadonlyMap<unknown, string> = new Map([
  ['response.reasoning.delta', 'response.reasoning_text.delta'],
  ['response.reasoning.done', 'response.reasoning_text.done'],
]);

export function typeIn({ type }: JsonObject): unknown {
  return SAME.get(type) ?? type;
}

/** Of an event among those about its item. */
export function nameOf(event: JsonObject): string {
  const { content_index, summary_index, annotation_index } = event;
  return `${typeIn(event)} ${content_index ?? summary_index} ${annotation_index}`;
}
