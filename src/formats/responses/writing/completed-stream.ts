/**
 * What hosts leave out of the events of a stream, for clients that keep an answer by it: Codex takes an item from its end, SDKs
 * put texts together by their places. Left out were places (https://github.com/ggml-org/llama.cpp/issues/20607,
 * https://github.com/lemonade-sdk/lemonade/issues/3607), beginnings (https://github.com/BerriAI/litellm/issues/22102) and ends
 * (https://github.com/Oaklight/llm-rosetta/issues/56), all 2026-11-27.
 */
import { elements, isObject, type JsonObject, members, textOf } from '../../json.js';
import { streamedItems, typeBy } from '../streamed-items.js';
import type { UnnumberedEvent } from './item-events.js';
import {
  ADDED,
  endOf,
  type ItemProgress,
  nameOf,
  note,
  type PartIndex,
  progressOf,
  typeIn,
  unsent,
} from './item-progress.js';
import { PARTS, type PartType } from './parts.js';
import { itemEvents, partEvents } from './unfolded-item.js';

const DONE = 'response.output_item.done';

/** An event about a part of an item. */
interface AboutPart {
  readonly index: PartIndex;
  /** The part as it begins; undefined where the event tells it. */
  readonly begun: (JsonObject & { readonly type: PartType }) | undefined;
}

const ABOUT_PARTS: ReadonlyMap<unknown, AboutPart> = new Map(
  (Object.keys(PARTS) as PartType[]).flatMap((type) => {
    const { index, text, textEvent, partEvent, hasLogprobs } = PARTS[type];
    const begun = { type, [text]: '', ...(hasLogprobs && { annotations: [], logprobs: [] }) };
    const texts = ['delta', 'done', 'annotation.added'].map((end) => `${textEvent}.${end}`);
    return [
      ...texts.map((name): [string, AboutPart] => [name, { index, begun }]),
      ...['added', 'done'].map((end): [string, AboutPart] => [
        `${partEvent}.${end}`,
        { index, begun: undefined },
      ]),
    ];
  }),
);

export interface CompletedEvent {
  /** What should have come before it. */
  readonly before: readonly UnnumberedEvent[];
  /** With what it lacks; the same object where that is nothing. Null: it waits until its item has a name. */
  readonly event: JsonObject | null;
}

const NOTHING: readonly never[] = [];

export class StreamCompletion {
  /** An id for an item that its host gave none. */
  readonly #idAt: (index: number) => string;
  readonly #items: ItemProgress[] = [];
  readonly #byIndex = new Map<number, ItemProgress>();
  readonly #byId = new Map<string, ItemProgress>();
  #next = 0;

  constructor(idAt: (index: number) => string) {
    this.#idAt = idAt;
  }

  complete(event: JsonObject): CompletedEvent {
    const { type } = event;
    if (type === ADDED) return { before: NOTHING, event: this.#begin(event) };
    if (type === DONE) return this.#end(event);
    const about = ABOUT_PARTS.get(typeIn(event));
    if (about === undefined && typeBy(type) === undefined && typeof event.item_id !== 'string')
      return { before: NOTHING, event };
    return this.#grow(event, about);
  }

  /** What the whole response has and no event has told. */
  rest(output: readonly unknown[]): readonly UnnumberedEvent[] {
    if (output.length === this.#items.length && this.#items.every(({ isDone }) => isDone)) return NOTHING;
    const items = output.map(members);
    const streamed = streamedItems(this.#items, items);
    return items.flatMap((item, at) => {
      const there = this.#byIndex.get(at);
      const told = streamed[at] ?? (there?.type === undefined ? there : undefined);
      if (told === undefined)
        return itemEvents(item, this.#add(there === undefined ? at : this.#next, item).index);
      return told.isDone ? [] : [...endOf(told, item), { type: DONE, output_index: told.index, item }];
    });
  }

  /** Hosts that number items wrongly begin another one with a number that was used. */
  #begin(event: JsonObject): JsonObject {
    const item = members(event.item);
    const known = this.#at(event.output_index);
    const isTaken = known !== undefined && (known.isDone || known.id !== textOf(item.id));
    const told = this.#add(isTaken ? this.#next : (numberIn(event.output_index) ?? this.#next), item);
    note(told, event);
    return indexed(event, told);
  }

  #end(event: JsonObject): CompletedEvent {
    const item = members(event.item);
    const { id, type, call_id } = item;
    const told =
      this.#of(event, textOf(id)) ??
      this.#add(numberIn(event.output_index) ?? this.#next, { id, type, call_id });
    return {
      before: endOf(told, item),
      event: indexed(event, told),
    };
  }

  #grow(event: JsonObject, about: AboutPart | undefined): CompletedEvent {
    const before: UnnumberedEvent[] = [];
    const told = this.#of(event, textOf(event.item_id)) ?? this.#beginFor(event, before);
    if (told.type === undefined && isOfCall(event)) return { before: NOTHING, event: null };
    const whole = isPlaced(event, told, about) ? event : placedIn(event, told, about, before);
    if (!('delta' in whole)) before.push(...unsent(told, grownBy(whole, about)));
    note(told, whole);
    return { before, event: whole };
  }

  /** An item that an event is about and that none has begun; one of a type that the event does not tell waits for its end. */
  #beginFor(event: JsonObject, before: UnnumberedEvent[]): ItemProgress {
    const index = numberIn(event.output_index) ?? this.#next;
    const item = begunBy(event, textOf(event.item_id) ?? this.#idAt(index));
    const told = this.#add(index, item);
    if (!('type' in item)) return told;
    const added = { type: ADDED, output_index: index, item };
    note(told, added);
    before.push(added);
    return told;
  }

  #add(index: number, item: JsonObject): ItemProgress {
    const told = progressOf(index, item);
    this.#items.push(told);
    this.#byIndex.set(index, told);
    if (told.id !== undefined) this.#byId.set(told.id, told);
    this.#next = Math.max(this.#next, Math.floor(index) + 1);
    return told;
  }

  /** By its id, else by its place; without either it is the one that is being told. */
  #of({ output_index }: JsonObject, id: string | undefined): ItemProgress | undefined {
    const named = id === undefined ? undefined : this.#byId.get(id);
    if (named !== undefined || typeof output_index === 'number') return named ?? this.#at(output_index);
    const last = this.#items.at(-1);
    return id === undefined && last?.isDone === false ? last : undefined;
  }

  #at(index: unknown): ItemProgress | undefined {
    return typeof index === 'number' ? this.#byIndex.get(index) : undefined;
  }
}

function isOfCall({ type }: JsonObject): boolean {
  const of = typeBy(type);
  return of === 'function_call' || of === 'custom_tool_call';
}

/** Whether it lacks nothing, as nearly every event. Begins the part that it tells. */
function isPlaced(event: JsonObject, told: ItemProgress, about: AboutPart | undefined): boolean {
  if (event.output_index !== told.index || typeof event.item_id !== 'string' || !isCounted(event))
    return false;
  if (about === undefined) return true;
  const [numbers, number] = [told.parts[about.index], event[about.index]];
  if (typeof number !== 'number') return false;
  if (about.begun === undefined) numbers.add(number);
  return numbers.has(number);
}

/** Annotations of a part are numbered. */
function isCounted({ annotation, annotation_index }: JsonObject): boolean {
  return annotation === undefined || typeof annotation_index === 'number';
}

function isMissing(value: unknown): boolean {
  return value === undefined || value === null;
}

/** What is no index is the client's to judge. */
function indexFor(given: unknown, index: number): unknown {
  return isMissing(given) || Number.isInteger(given) ? index : given;
}

function numberIn(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

function indexed(event: JsonObject, { index }: ItemProgress): JsonObject {
  const output_index = indexFor(event.output_index, index);
  return output_index === event.output_index ? event : { ...event, output_index };
}

/** The same object where it has these members. */
function withMembers(event: JsonObject, own: JsonObject): JsonObject {
  return Object.keys(own).every((name) => event[name] === own[name]) ? event : { ...event, ...own };
}

function begunBy(event: JsonObject, id: string): JsonObject {
  const type =
    typeBy(event.type) ?? (members(event.part).type === 'reasoning_text' ? 'reasoning' : 'message');
  switch (ABOUT_PARTS.has(typeIn(event)) ? type : undefined) {
    case 'message':
      return { id, type, status: 'in_progress', role: 'assistant', content: [] };
    case 'reasoning':
      return { id, type, summary: [] };
    default:
      return { id };
  }
}

/** With its place in the answer, after what should have come before it. */
function placedIn(
  event: JsonObject,
  told: ItemProgress,
  about: AboutPart | undefined,
  before: UnnumberedEvent[],
): JsonObject {
  return withMembers(event, {
    output_index: indexFor(event.output_index, told.index),
    ...(isMissing(event.item_id) && told.id !== undefined && { item_id: told.id }),
    ...(about !== undefined && partIn(event, told, about, before)),
  });
}

/** What an event that ends a part, or what grows of it, says to have come before. */
function grownBy(event: JsonObject, about: AboutPart | undefined): UnnumberedEvent[] {
  const { type, item_id, output_index, content_index, summary_index, part } = event;
  const place = { item_id, output_index };
  if (typeof type !== 'string' || !type.endsWith('.done')) return [];
  if (isObject(part)) {
    const otherwise = about?.index === 'summary_index' ? 'summary_text' : 'output_text';
    const events = partEvents(part, Number(summary_index ?? content_index), otherwise).slice(0, -1);
    return events.map((one) => ({ ...one, ...place }));
  }
  const delta = textOf(event.text) ?? textOf(event.refusal) ?? textOf(event.arguments) ?? textOf(event.input);
  if (delta === undefined) return [];
  const at = about === undefined ? {} : { [about.index]: event[about.index] };
  const logprobs = type === 'response.output_text.done' && { logprobs: elements(event.logprobs) };
  return [{ type: `${type.slice(0, -'done'.length)}delta`, ...place, ...at, delta, ...logprobs }];
}

/** Which part of its item an event is about. Begins the part where none has. */
function partIn(
  event: JsonObject,
  told: ItemProgress,
  { index, begun }: AboutPart,
  before: UnnumberedEvent[],
): JsonObject {
  const numbers = told.parts[index];
  const begins = String(event.type).endsWith('part.added');
  const number = numberIn(event[index]) ?? (begins ? numbers.size : Math.max(0, numbers.size - 1));
  const place = { item_id: told.id, output_index: told.index, [index]: number };
  if (!numbers.has(number)) {
    numbers.add(number);
    if (!begins && begun !== undefined) {
      const added = { type: `${PARTS[begun.type].partEvent}.added`, ...place, part: begun };
      note(told, added);
      before.push(added);
    }
  }
  const numbered = { [index]: indexFor(event[index], number) };
  if (isCounted(event)) return numbered;
  const name = nameOf({ ...event, ...place });
  const annotation_index = told.annotations.get(name) ?? 0;
  told.annotations.set(name, annotation_index + 1);
  return { ...numbered, annotation_index };
}
