/** Reads the items of an answer in the Responses format as what they add to a chat's message. */
import { exactJson } from '../../../base/json/json-body.js';
import type { ChunkDelta, JsonObject } from '../../../formats/chat/types.js';
import { isObject, members, textOf } from '../../../formats/json.js';
import type { NormalizedEvent } from '../../../inference/ports/adapter.js';
import { boundedElements, checkCount, MAX_BLOCKS, MAX_CALLS } from '../../common/answer-bounds.js';
import type { AnswerCallIds } from '../../common/answer-call-ids.js';
import { annotationsOf } from './annotations.js';
import { logprobsOf } from './logprobs.js';
import { ItemCollector } from './provider-items.js';
import { BREAK, type Readable, ThoughtDetails } from './thoughts.js';

/** A call has arguments that are JSON even if it has none. */
const NO_ARGUMENTS = '{}';

/** What of a text has been told. */
interface Emitted {
  /** The character of the message's content, or of its item's thought, where it begins. */
  readonly start: number;
  length: number;
}

/** By the positions of parts. */
type Parts = Map<number, Emitted>;

interface Call {
  readonly index: number;
  readonly id: string;
  readonly isCustom: boolean;
  /** Characters of its arguments or input. */
  told: number;
}

/** An item that is being read. */
export interface GrowingItem {
  readonly id: string | undefined;
  readonly type: string | undefined;
  readonly texts: Parts;
  readonly refusals: Parts;
  readonly thoughts: Readonly<Record<Readable, Parts>>;
  details: ThoughtDetails | undefined;
  call: Call | undefined;
  isDone: boolean;
}

/**
 * Tells each piece once, whether it comes in deltas, with the end of its item, or both. All methods return the events that the
 * piece makes, and throw `UpstreamFailure` `malformed` for more than a message may have.
 */
export class ItemTranslation {
  readonly #ids: AnswerCallIds;
  readonly #collector = new ItemCollector();
  #items = 0;
  #thoughts = 0;
  #calls = 0;
  #images = 0;
  /** Characters of the content, and of the reasoning. */
  #said = 0;
  #thought = 0;

  constructor(ids: AnswerCallIds) {
    this.#ids = ids;
  }

  get hasCalls(): boolean {
    return this.#calls > 0;
  }

  /** Those that are complete, as they came, but for the ids of calls. */
  get items(): readonly JsonObject[] {
    return this.#collector.items;
  }

  begin({ id, type }: JsonObject): GrowingItem {
    this.#items += 1;
    checkCount(this.#items, MAX_BLOCKS);
    return {
      id: textOf(id),
      type: textOf(type),
      texts: new Map(),
      refusals: new Map(),
      thoughts: { text: new Map(), summary: new Map() },
      details: undefined,
      call: undefined,
      isDone: false,
    };
  }

  /** Begins a call whose name is known. */
  open(growing: GrowingItem, item: JsonObject): NormalizedEvent[] {
    const name = textOf(item.name);
    const isCustom = item.type === 'custom_tool_call';
    if ((!isCustom && item.type !== 'function_call') || growing.call !== undefined || name === undefined)
      return [];
    const id = this.#ids.next(textOf(item.call_id) ?? textOf(item.id));
    const index = this.#calls;
    this.#calls += 1;
    checkCount(this.#calls, MAX_CALLS);
    growing.call = { index, id, isCustom, told: 0 };
    const called = isCustom ? { custom: { name, input: '' } } : { function: { name, arguments: '' } };
    return deltas({ tool_calls: [{ index, id, type: isCustom ? 'custom' : 'function', ...called }] });
  }

  /** Of a text of a message. */
  say(growing: GrowingItem, part: number, text: unknown, logprobs?: unknown): NormalizedEvent[] {
    const piece = textOf(text);
    if (growing.isDone || piece === undefined) return [];
    const isApart = growing.texts.size === 0 && this.#said > 0;
    if (isApart) this.#said += BREAK.length;
    emittedOf(growing.texts, part, this.#said).length += piece.length;
    this.#said += piece.length;
    const chosen = logprobsOf(logprobs);
    const delta = { content: isApart ? `${BREAK}${piece}` : piece };
    return [{ type: 'delta', index: 0, delta, ...(chosen !== undefined && { logprobs: chosen }) }];
  }

  refuse(growing: GrowingItem, part: number, text: unknown): NormalizedEvent[] {
    const refusal = textOf(text);
    if (growing.isDone || refusal === undefined) return [];
    emittedOf(growing.refusals, part, 0).length += refusal.length;
    return deltas({ refusal });
  }

  think(growing: GrowingItem, kind: Readable, part: number, text: unknown): NormalizedEvent[] {
    const piece = textOf(text);
    if (growing.isDone || piece === undefined) return [];
    const parts = growing.thoughts[kind];
    const isNew = !parts.has(part);
    const own = isNew && parts.size > 0 ? `${BREAK}${piece}` : piece;
    const reasoning = isNew && this.#thought > 0 ? `${BREAK}${piece}` : piece;
    emittedOf(parts, part, 0).length += piece.length;
    this.#thought += reasoning.length;
    return deltas({ reasoning, reasoning_details: [this.#detailsOf(growing).readable(kind, own)] });
  }

  /** Of the arguments or the input of a call. */
  call(growing: GrowingItem, text: unknown): NormalizedEvent[] {
    const { call } = growing;
    const piece = textOf(text);
    if (growing.isDone || call === undefined || piece === undefined) return [];
    call.told += piece.length;
    const { index } = call;
    return deltas({
      tool_calls: [
        call.isCustom ? { index, custom: { input: piece } } : { index, function: { arguments: piece } },
      ],
    });
  }

  /** What of a whole text has not been told. */
  sayRest(growing: GrowingItem, part: number, text: unknown, logprobs?: unknown): NormalizedEvent[] {
    const before = growing.texts.get(part);
    return this.say(growing, part, restOf(text, before), before === undefined ? logprobs : undefined);
  }

  refuseRest(growing: GrowingItem, part: number, text: unknown): NormalizedEvent[] {
    return this.refuse(growing, part, restOf(text, growing.refusals.get(part)));
  }

  thinkRest(growing: GrowingItem, kind: Readable, part: number, text: unknown): NormalizedEvent[] {
    return this.think(growing, kind, part, restOf(text, growing.thoughts[kind].get(part)));
  }

  callRest(growing: GrowingItem, given: unknown): NormalizedEvent[] {
    const whole = isObject(given) ? exactJson(given) : given;
    const told = growing.call?.told ?? 0;
    return this.call(growing, typeof whole === 'string' ? whole.slice(told) : undefined);
  }

  /** Ends the item: what of it has not been told is told. */
  complete(growing: GrowingItem, item: JsonObject): NormalizedEvent[] {
    if (growing.isDone) return [];
    const events = this.#rest(growing, item);
    growing.isDone = true;
    this.#collector.add(growing.call === undefined ? item : { ...item, call_id: growing.call.id });
    return events;
  }

  #rest(growing: GrowingItem, item: JsonObject): NormalizedEvent[] {
    switch (item.type) {
      case 'message':
        return this.#restOfMessage(growing, item);
      case 'reasoning':
        return this.#restOfThought(growing, item);
      case 'function_call':
      case 'custom_tool_call':
        return this.#restOfCall(growing, item);
      case 'image_generation_call':
        return this.#image(item);
      default:
        return [];
    }
  }

  #restOfMessage(growing: GrowingItem, { content }: JsonObject): NormalizedEvent[] {
    const parts = boundedElements(content, MAX_BLOCKS).map(members);
    const texts = parts.flatMap(({ type, text, refusal, logprobs }, at) => {
      if (type === 'refusal') return this.refuseRest(growing, at, refusal);
      return this.sayRest(growing, at, text, logprobs);
    });
    const annotations = parts.flatMap((part, at) => annotationsOf(part, growing.texts.get(at)?.start ?? 0));
    return annotations.length === 0 ? texts : [...texts, ...deltas({ annotations })];
  }

  #restOfThought(
    growing: GrowingItem,
    { summary, content, encrypted_content }: JsonObject,
  ): NormalizedEvent[] {
    const rest = (kind: Readable, given: unknown) =>
      boundedElements(given, MAX_BLOCKS).flatMap((part, at) =>
        this.thinkRest(growing, kind, at, members(part).text),
      );
    const readable = [...rest('summary', summary), ...rest('text', content)];
    const data = textOf(encrypted_content);
    if (data === undefined) return readable;
    return [...readable, ...deltas({ reasoning_details: [this.#detailsOf(growing).encrypted(data)] })];
  }

  #restOfCall(growing: GrowingItem, item: JsonObject): NormalizedEvent[] {
    const opening = this.open(growing, item);
    const { call } = growing;
    if (call === undefined) return [];
    const given = call.isCustom ? item.input : item.arguments;
    const rest = this.callRest(growing, given);
    const isEmpty = call.told === 0 && !call.isCustom;
    return joined(opening, isEmpty ? this.call(growing, NO_ARGUMENTS) : rest);
  }

  /** The images of an answer are its own, as those of chats are. */
  #image({ result, output_format }: JsonObject): NormalizedEvent[] {
    const data = textOf(result);
    if (data === undefined) return [];
    const index = this.#images;
    this.#images += 1;
    const url = data.startsWith('data:')
      ? data
      : `data:image/${textOf(output_format) ?? 'png'};base64,${data}`;
    return deltas({ images: [{ type: 'image_url', image_url: { url }, index }] });
  }

  #detailsOf(growing: GrowingItem): ThoughtDetails {
    if (growing.details !== undefined) return growing.details;
    const position = { content: this.#said, calls: this.#calls };
    growing.details = new ThoughtDetails(this.#thoughts, position, growing.id);
    this.#thoughts += 1;
    return growing.details;
  }
}

function emittedOf(parts: Parts, part: number, start: number): Emitted {
  const known = parts.get(part) ?? { start, length: 0 };
  parts.set(part, known);
  return known;
}

function restOf(text: unknown, before: Emitted | undefined): string | undefined {
  return textOf(text)?.slice(before?.length ?? 0);
}

/** A call whose arguments come at once is one delta. */
function joined(opening: NormalizedEvent[], rest: NormalizedEvent[]): NormalizedEvent[] {
  const [opened] = opening;
  const [after] = rest;
  if (opened?.type !== 'delta' || after?.type !== 'delta') return [...opening, ...rest];
  const call = opened.delta.tool_calls?.[0];
  const piece = after.delta.tool_calls?.[0];
  const merged = Object.fromEntries(
    ['function', 'custom'].flatMap((name) =>
      isObject(call?.[name]) ? [[name, { ...members(call[name]), ...members(piece?.[name]) }]] : [],
    ),
  );
  return deltas({ tool_calls: [{ ...call, ...merged }] });
}

function deltas(delta: ChunkDelta): NormalizedEvent[] {
  return [{ type: 'delta', index: 0, delta }];
}
