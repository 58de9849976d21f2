/** What a native stream has said so far, for a response that has to be ended in its provider's place. */
import { elements, isObject, type JsonObject, members, textOf } from '../../json.js';
import type { UnnumberedEvent } from './item-events.js';
import { PARTS, type Part, partEnd } from './parts.js';

type ItemStatus = 'completed' | 'incomplete';

/** An item that has not been ended, with a copy of what of it grows. */
interface OpenItem {
  readonly index: number;
  readonly item: Record<string, unknown>;
  readonly content: GrowingParts;
  readonly summary: GrowingParts;
}

/** By their indices, which are the host's: whatever number it counts with. */
type GrowingParts = Map<number, Growing>;

interface Growing {
  readonly part: Record<string, unknown>;
  /** Those of its part that came after it. */
  readonly annotations: JsonObject[];
  readonly isDone: boolean;
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

  /** The items in their order; `status` is that of those that are not done. */
  outputAs(status: ItemStatus): JsonObject[] {
    const all = [
      ...this.#done,
      ...[...this.#open.values()].map((open) => [open.index, itemAs(open, status)] as const),
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

function growing(parts: unknown): GrowingParts {
  return new Map(elements(parts).map((part, at) => [at, growingPart(members(part), false)]));
}

function growingPart(part: JsonObject, isDone: boolean): Growing {
  return { part: { ...part }, annotations: [], isDone };
}

function wholePart({ part, annotations }: Growing): Record<string, unknown> {
  if (annotations.length === 0) return part;
  return { ...part, annotations: [...elements(part.annotations), ...annotations] };
}

/** What is no text adds nothing to one. */
function grow(open: OpenItem, event: JsonObject): void {
  const { type } = event;
  const text = TEXTS.get(type);
  const member = text === undefined ? GROWING.get(type) : undefined;
  if (member !== undefined) open.item[member] = longer(open.item[member], event.delta);
  else if (text !== undefined) {
    const one = partAt(open, event);
    if (one !== undefined) one.part[text] = longer(one.part[text], event.delta);
  } else if (isObject(event.part)) {
    const isDone = typeof type === 'string' && type.endsWith('.done');
    partsIn(open, event).set(indexIn(event), growingPart(event.part, isDone));
  } else if (isObject(event.annotation)) {
    partAt(open, event)?.annotations.push(event.annotation);
  }
}

function longer(before: unknown, delta: unknown): string {
  return `${textOf(before) ?? ''}${textOf(delta) ?? ''}`;
}

function partAt(open: OpenItem, event: JsonObject): Growing | undefined {
  return partsIn(open, event).get(indexIn(event));
}

function partsIn(open: OpenItem, event: JsonObject): GrowingParts {
  return 'summary_index' in event ? open.summary : open.content;
}

function indexIn({ summary_index, content_index }: JsonObject): number {
  const index = summary_index ?? content_index;
  return typeof index === 'number' ? index : 0;
}

function itemAs({ item, content, summary }: OpenItem, status: ItemStatus): JsonObject {
  const partsOf = (all: GrowingParts) => inOrder(all).map(([, one]) => wholePart(one));
  return {
    ...item,
    ...(content.size > 0 && { content: partsOf(content) }),
    ...(summary.size > 0 && { summary: partsOf(summary) }),
    ...(item.type !== 'reasoning' && { status }),
  };
}

function inOrder(parts: GrowingParts): readonly (readonly [index: number, part: Growing])[] {
  return [...parts].sort(([a], [b]) => a - b);
}

function endsOf(open: OpenItem): UnnumberedEvent[] {
  const place = { item_id: open.item.id, output_index: open.index };
  const item = itemAs(open, 'incomplete');
  return [
    ...partEnds(open.summary, 'summary_index', place),
    ...partEnds(open.content, 'content_index', place),
    ...inputEnd(item).map((ending) => ({ ...ending, ...place })),
    { type: 'response.output_item.done', output_index: open.index, item },
  ];
}

function partEnds(
  parts: GrowingParts,
  index: 'summary_index' | 'content_index',
  place: JsonObject,
): UnnumberedEvent[] {
  return inOrder(parts).flatMap(([at, one]) => {
    const part = wholePart(one);
    if (one.isDone || !isKnown(part)) return [];
    return partEnd(part).map((ending) => ({ ...ending, ...place, [index]: at }));
  });
}

function isKnown(part: object): part is Part {
  return 'type' in part && typeof part.type === 'string' && part.type in PARTS;
}

function inputEnd({ type, arguments: given, input, name }: JsonObject): UnnumberedEvent[] {
  if (type === 'function_call')
    return [{ type: 'response.function_call_arguments.done', arguments: given, name }];
  return type === 'custom_tool_call' ? [{ type: 'response.custom_tool_call_input.done', input }] : [];
}
