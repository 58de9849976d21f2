/**
 * Keeps the halves of a character together. In JSON a character beyond the 16 bits of UTF-16, such as an emoji, may be
 * written as two escapes, and some hosts end a delta between them; half of one is no Unicode, which clients in other
 * languages than JavaScript refuse.
 */
import type { AnswerChoice, ChunkDelta, JsonObject } from '../../formats/chat/types.js';
import { isObject } from '../../formats/json.js';
import type { NormalizedAnswer, UpstreamEvent } from '../../inference/ports/adapter.js';
import type { DecodingWork, EventDecoder } from './provider-stream.js';

/** The same where all characters are whole; halves are U+FFFD, as decoders of UTF-8 have them. */
export function wholeCharactersOf(answer: NormalizedAnswer): NormalizedAnswer {
  const choices = answer.choices.map((choice): AnswerChoice => {
    const message = wholeIn(choice.message);
    return message === choice.message ? choice : { ...choice, message };
  });
  return choices.every((choice, index) => choice === answer.choices[index]) ? answer : { ...answer, choices };
}

function wholeIn<Value>(value: Value): Value {
  if (typeof value === 'string') return (value.isWellFormed() ? value : value.toWellFormed()) as Value;
  if (Array.isArray(value)) {
    const list = value.map(wholeIn);
    return list.every((one, index) => one === value[index]) ? value : (list as Value);
  }
  if (!isObject(value)) return value;
  let changed: Record<string, unknown> | undefined;
  for (const name in value) {
    const whole = wholeIn(value[name]);
    if (whole === value[name]) continue;
    changed ??= { ...value };
    changed[name] = whole;
  }
  return (changed ?? value) as Value;
}

/** The events of an answer that came in one piece, with whole characters. */
export function wholeCharactersIn(events: readonly UpstreamEvent[]): readonly UpstreamEvent[] {
  const passed = [...events];
  new HeldHalves().pass(passed, 0);
  return passed;
}

/** Decodes as another decoder does, but holds the first half of a character back until the other one comes. */
export class WholeCharacterDecoder implements EventDecoder {
  readonly #decoder: EventDecoder;
  readonly #held = new HeldHalves();

  constructor(decoder: EventDecoder) {
    this.#decoder = decoder;
  }

  get isDone(): boolean {
    return this.#decoder.isDone;
  }

  take(bytes: Buffer, events: UpstreamEvent[]): DecodingWork | undefined {
    return this.#decode(events, () => this.#decoder.take(bytes, events));
  }

  end(events: UpstreamEvent[]): DecodingWork | undefined {
    return this.#decode(events, () => this.#decoder.end(events));
  }

  #decode(events: UpstreamEvent[], decode: () => DecodingWork | undefined): DecodingWork | undefined {
    const from = events.length;
    let work: DecodingWork | undefined;
    try {
      work = decode();
    } finally {
      this.#held.pass(events, from);
    }
    return work && this.#passing(work, events);
  }

  /** Others take events out between the steps of the work. */
  *#passing(work: DecodingWork, events: UpstreamEvent[]): DecodingWork {
    for (;;) {
      const from = events.length;
      const { done } = work.next();
      this.#held.pass(events, from);
      if (done) return;
      yield;
    }
  }
}

/** A text of a choice that grows: by its path in the delta. */
type Texts = Map<string, string>;

class HeldHalves {
  /** First halves of characters by choice; empty for most streams. */
  readonly #held = new Map<number, Texts>();

  /** Replaces the events from this position on. */
  pass(events: UpstreamEvent[], from: number): void {
    for (let at = from; at < events.length; at += 1) {
      const event = events[at];
      if (event?.type === 'delta') {
        const delta = this.#whole(event.index, event.delta);
        if (delta === event.delta) continue;
        const isEmpty = Object.keys(delta).length === 0 && event.logprobs === undefined;
        events.splice(at, 1, ...(isEmpty ? [] : [{ ...event, delta }]));
        if (isEmpty) at -= 1;
      } else if (event?.type === 'finish' && this.#held.has(event.index)) {
        const rest = this.#rest(event.index);
        events.splice(at, 0, ...rest);
        at += rest.length;
      }
    }
  }

  #whole(index: number, delta: ChunkDelta): ChunkDelta {
    let changed: Record<string, unknown> | undefined;
    for (const name in delta) {
      const value = delta[name];
      const whole =
        typeof value === 'string' ? this.#text(index, name, value) : this.#list(index, name, value);
      if (whole === value) continue;
      changed ??= { ...delta };
      if (whole === '') delete changed[name];
      else changed[name] = whole;
    }
    return changed ?? delta;
  }

  /** Fragments of calls and details, each distinguished from the others by its `index`. */
  #list(index: number, name: string, value: unknown): unknown {
    if (!Array.isArray(value)) return wholeIn(value);
    let changed: unknown[] | undefined;
    for (const [position, one] of value.entries()) {
      const isPiece = isObject(one) && typeof one.index === 'number';
      const whole = isPiece ? this.#members(index, `${name}.${one.index}`, one) : wholeIn(one);
      if (whole === one) continue;
      changed ??= [...value];
      changed[position] = whole;
    }
    return changed ?? value;
  }

  #members(index: number, path: string, value: JsonObject): JsonObject {
    let changed: Record<string, unknown> | undefined;
    for (const name in value) {
      const member = value[name];
      const at = `${path}.${name}`;
      const whole = GROWING.has(name) ? this.#grown(index, at, member) : wholeIn(member);
      if (whole === member) continue;
      changed ??= { ...value };
      changed[name] = whole;
    }
    return changed ?? value;
  }

  #grown(index: number, path: string, value: unknown): unknown {
    if (typeof value === 'string') return this.#text(index, path, value);
    return isObject(value) ? this.#members(index, path, value) : wholeIn(value);
  }

  #text(index: number, path: string, text: string): string {
    const texts = this.#held.get(index);
    const before = texts?.get(path) ?? '';
    if (before === '' && text.isWellFormed()) return text;
    const all = before + text;
    const isHalf = isFirstHalf(all.charCodeAt(all.length - 1));
    if (before !== '') texts?.delete(path);
    if (isHalf) this.#hold(index, path, all.slice(-1));
    return (isHalf ? all.slice(0, -1) : all).toWellFormed();
  }

  #hold(index: number, path: string, half: string): void {
    const texts = this.#held.get(index) ?? new Map<string, string>();
    texts.set(path, half);
    this.#held.set(index, texts);
  }

  /** The halves whose other half never came, as deltas. */
  #rest(index: number): UpstreamEvent[] {
    const texts = this.#held.get(index) ?? [];
    this.#held.delete(index);
    return [...texts].map(([path]) => ({ type: 'delta', index, delta: deltaAt(path.split('.')) }));
  }
}

/** Members whose texts come in pieces, or that have such members. */
const GROWING: ReadonlySet<string> = new Set(['function', 'arguments', 'custom', 'input', 'text', 'summary']);

const REPLACEMENT = '\uFFFD';

/** `content`; or `tool_calls.0.function.arguments`, whose second name is the index of an element. */
function deltaAt([name = '', index, ...names]: readonly string[]): ChunkDelta {
  if (index === undefined) return { [name]: REPLACEMENT };
  const value = names.reduceRight<unknown>((inner, outer) => ({ [outer]: inner }), REPLACEMENT);
  return { [name]: [{ index: Number(index), ...(value as JsonObject) }] };
}

function isFirstHalf(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
