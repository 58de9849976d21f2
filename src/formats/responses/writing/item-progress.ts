/** What of an item of a native stream has been sent, and what has not. */
import { elements, type JsonObject, textOf } from '../../json.js';
import type { UnnumberedEvent } from './item-events.js';
import type { PartWords } from './parts.js';
import { itemEvents } from './unfolded-item.js';

export type PartIndex = PartWords['index'];

export interface ItemProgress {
  /** In the output, as clients are told. */
  readonly index: number;
  id: string | undefined;
  /** Undefined until an event has told it. */
  type: string | undefined;
  call: { readonly id: string | undefined };
  /** Of the events that came, by `nameOf`. */
  readonly names: Set<string>;
  /** Of characters of what grows, by the names of its deltas, and of annotations. */
  readonly counts: Map<string, number>;
  /** The numbers of its parts, in their order. */
  readonly parts: Readonly<Record<PartIndex, Set<number>>>;
  isDone: boolean;
}

/** One that has begun as `item`, or that something was told of. */
export function progressOf(index: number, item: JsonObject): ItemProgress {
  const numbers = (parts: unknown) => new Set(elements(parts).keys());
  return {
    index,
    ...identityOf(item),
    names: new Set(),
    counts: new Map(),
    parts: { content_index: numbers(item.content), summary_index: numbers(item.summary) },
    isDone: false,
  };
}

function identityOf({ id, type, call_id }: JsonObject): Pick<ItemProgress, 'id' | 'type' | 'call'> {
  return { id: textOf(id), type: textOf(type), call: { id: textOf(call_id) } };
}

/** That the event has come, with its place. */
export function note(told: ItemProgress, event: JsonObject): void {
  const name = nameOf(event);
  const { delta } = event;
  if (typeof delta === 'string') told.counts.set(name, (told.counts.get(name) ?? 0) + delta.length);
  else told.names.add(name);
}

/** The events about the whole item, but for its last, that have not come. It is done with that one. */
export function endOf(told: ItemProgress, item: JsonObject): UnnumberedEvent[] {
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

/** The number of the part at a place. Hosts count from whatever number: then parts are in their order. */
function numbering(numbers: ReadonlySet<number>, count: number): (at: number) => number {
  const all = [...numbers];
  if (all.every((number) => number < count)) return (at) => at;
  return (at) => all[at] ?? (all.at(-1) ?? 0) + 1 + at - all.length;
}

/** Those that have not come, with the rest of what grew; they count as told. Annotations of a text that has ended are in that. */
export function unsent(told: ItemProgress, events: readonly UnnumberedEvent[]): UnnumberedEvent[] {
  return events.flatMap((event) => {
    const name = nameOf(event);
    if (typeof event.delta === 'string') {
      const length = told.counts.get(name) ?? 0;
      if (event.delta.length <= length) return [];
      told.counts.set(name, event.delta.length);
      return [{ ...event, delta: event.delta.slice(length) }];
    }
    if (told.names.has(name) || ('annotation' in event && told.names.has(nameOf(endOfText(event)))))
      return [];
    told.names.add(name);
    return [event];
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
