/** What a native stream has said so far, for a response that has to be ended in its provider's place. */
import { elements, isObject, type JsonObject, members } from '../../json.js';
import type { UnnumberedEvent } from './item-events.js';
import { PARTS, type Part, partEnd } from './parts.js';

/** An item that has not been ended, with a copy of what of it grows. */
interface OpenItem {
  readonly index: number;
  readonly item: Record<string, unknown>;
  readonly content: Growing[];
  readonly summary: Growing[];
}

interface Growing {
  part: Record<string, unknown>;
  isDone: boolean;
}

/** Which member grows by an event. */
const GROWING: ReadonlyMap<unknown, 'arguments' | 'input'> = new Map([
  ['response.function_call_arguments.delta', 'arguments'],
  ['response.custom_tool_call_input.delta', 'input'],
]);

const TEXTS: ReadonlyMap<unknown, 'text' | 'refusal'> = new Map(
  Object.values(PARTS).map(({ textEvent, text }) => [`${textEvent}.delta`, text]),
);

export class ResponseSoFar {
  /** Items by their places; those that are done as they came. */
  readonly #done = new Map<number, JsonObject>();
  readonly #open = new Map<number, OpenItem>();

  read(event: JsonObject): void {
    const { type, output_index: index } = event;
    if (typeof index !== 'number') return;
    if (type === 'response.output_item.added') this.#begin(index, members(event.item));
    else if (type === 'response.output_item.done') {
      this.#open.delete(index);
      this.#done.set(index, members(event.item));
    } else {
      const open = this.#open.get(index);
      if (open !== undefined) grow(open, event);
    }
  }

  /** The items in their order; those that are not done are incomplete. */
  get output(): JsonObject[] {
    const all = [
      ...this.#done,
      ...[...this.#open.values()].map((open) => [open.index, cutItem(open)] as const),
    ];
    return all.sort(([a], [b]) => a - b).map(([, item]) => item);
  }

  /** The events that end what is open, as incomplete. */
  ends(): UnnumberedEvent[] {
    return [...this.#open.values()].sort((a, b) => a.index - b.index).flatMap(endsOf);
  }

  #begin(index: number, item: JsonObject): void {
    const { content, summary } = item;
    this.#open.set(index, { index, item: { ...item }, content: growing(content), summary: growing(summary) });
  }
}

function growing(parts: unknown): Growing[] {
  return elements(parts).map((part) => ({ part: { ...members(part) }, isDone: false }));
}

function grow(open: OpenItem, event: JsonObject): void {
  const { type, delta } = event;
  const text = TEXTS.get(type);
  const member = text === undefined ? GROWING.get(type) : undefined;
  if (member !== undefined) open.item[member] = `${open.item[member] ?? ''}${delta}`;
  else if (text !== undefined) {
    const one = partAt(open, event);
    if (one !== undefined) one.part[text] = `${one.part[text] ?? ''}${delta}`;
  } else if (isObject(event.part)) {
    const list = 'summary_index' in event ? open.summary : open.content;
    list[indexIn(event)] = { part: { ...event.part }, isDone: String(type).endsWith('.done') };
  } else if (isObject(event.annotation)) {
    const one = partAt(open, event);
    if (one !== undefined) one.part.annotations = [...elements(one.part.annotations), event.annotation];
  }
}

function partAt(open: OpenItem, event: JsonObject): Growing | undefined {
  return ('summary_index' in event ? open.summary : open.content)[indexIn(event)];
}

function indexIn({ summary_index, content_index }: JsonObject): number {
  const index = summary_index ?? content_index;
  return typeof index === 'number' ? index : 0;
}

function cutItem({ item, content, summary }: OpenItem): JsonObject {
  const partsOf = (all: readonly Growing[]) => all.map(({ part }) => part);
  return {
    ...item,
    ...(content.length > 0 && { content: partsOf(content) }),
    ...(summary.length > 0 && { summary: partsOf(summary) }),
    ...(item.type !== 'reasoning' && { status: 'incomplete' }),
  };
}

function endsOf(open: OpenItem): UnnumberedEvent[] {
  const place = { item_id: open.item.id, output_index: open.index };
  const item = cutItem(open);
  return [
    ...partEnds(open.summary, 'summary_index', place),
    ...partEnds(open.content, 'content_index', place),
    ...inputEnd(item).map((ending) => ({ ...ending, ...place })),
    { type: 'response.output_item.done', output_index: open.index, item },
  ];
}

function partEnds(
  parts: readonly Growing[],
  index: 'summary_index' | 'content_index',
  place: JsonObject,
): UnnumberedEvent[] {
  return parts.flatMap(({ part, isDone }, at) =>
    isDone || !isKnown(part) ? [] : partEnd(part).map((ending) => ({ ...ending, ...place, [index]: at })),
  );
}

function isKnown(part: object): part is Part {
  return 'type' in part && typeof part.type === 'string' && part.type in PARTS;
}

function inputEnd({ type, arguments: given, input, name }: JsonObject): UnnumberedEvent[] {
  if (type === 'function_call')
    return [{ type: 'response.function_call_arguments.done', arguments: given, name }];
  return type === 'custom_tool_call' ? [{ type: 'response.custom_tool_call_input.done', input }] : [];
}
