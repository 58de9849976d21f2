/**
 * Normalizes tool calls. In some providers' streams `index` is missing, repeated or starts at 1; `id` is missing, late
 * or repeated; arguments are an object or missing.
 */
import type { ToolCall } from '../../../formats/chat/types.js';
import { isObject, members, textOf } from '../../../formats/json.js';
import { checkCount, MAX_CALLS } from '../../common/answer-bounds.js';

/** Arguments must be JSON even for a call without any. */
const NO_ARGUMENTS = '{}';

/** The tool calls of an answer in one piece. */
export function wholeToolCalls(calls: readonly unknown[]): ToolCall[] {
  return calls.map((call, position) => {
    const { index, id, type, function: called, ...others } = members(call);
    const { name, arguments: given } = members(called);
    return {
      id: textOf(id) ?? idFor(position),
      type: textOf(type) ?? 'function',
      ...(isObject(called) && {
        function: { name: textOf(name) ?? '', arguments: argumentsText(given) || NO_ARGUMENTS },
      }),
      ...others,
    };
  });
}

interface Slot {
  /** Position among the calls of its choice. It may differ from the provider's index. */
  readonly index: number;
  readonly id: string;
  readonly isIdOurs: boolean;
  name: string | undefined;
  isFunction: boolean;
  hasArguments: boolean;
}

/** The tool calls of one streamed choice. */
export class StreamedToolCalls {
  readonly #slots: Slot[] = [];
  readonly #byId = new Map<string, Slot>();
  /** The latest call at each of the provider's indexes. */
  readonly #byIndex = new Map<number, Slot>();

  /**
   * The fragment with our `index`, and with `id`, `type` and `name` once each. Throws for more calls than a message may
   * have.
   */
  take(fragment: unknown): ToolCall {
    const { index, id, type, function: called, ...others } = members(fragment);
    const { name, arguments: given } = members(called);
    const known = this.#find(textOf(id), integerOf(index), textOf(name));
    const slot = known ?? this.#add(textOf(id), integerOf(index));
    const opening = known === undefined && { id: slot.id, type: textOf(type) ?? 'function' };
    if (!isObject(called)) return { index: slot.index, ...opening, ...others };
    const text = argumentsText(given);
    const isNamed = slot.name === undefined && textOf(name) !== undefined;
    slot.name ??= textOf(name);
    slot.isFunction = true;
    slot.hasArguments ||= text !== '';
    const added = { ...(isNamed && slot.name !== undefined && { name: slot.name }), arguments: text };
    return { index: slot.index, ...opening, ...others, function: added };
  }

  /** Fragments for the calls that came without arguments. */
  finish(): ToolCall[] {
    return this.#slots
      .filter(({ isFunction, hasArguments }) => isFunction && !hasArguments)
      .map(({ index }) => ({ index, function: { arguments: NO_ARGUMENTS } }));
  }

  /** A known id takes precedence over the index. A new id means a new call, unless the current call had no id yet. */
  #find(id: string | undefined, index: number | undefined, name: string | undefined): Slot | undefined {
    const there = index === undefined ? this.#slots.at(-1) : this.#byIndex.get(index);
    if (id !== undefined) {
      const known = this.#byId.get(id);
      if (known !== undefined || there?.isIdOurs !== true || name !== undefined) return known;
      this.#byId.set(id, there);
      return there;
    }
    const isAnother = name !== undefined && (index === undefined || name !== (there?.name ?? name));
    return isAnother ? undefined : there;
  }

  #add(id: string | undefined, index: number | undefined): Slot {
    checkCount(this.#slots.length + 1, MAX_CALLS);
    const slot: Slot = {
      index: this.#slots.length,
      id: id ?? idFor(this.#slots.length),
      isIdOurs: id === undefined,
      name: undefined,
      isFunction: false,
      hasArguments: false,
    };
    this.#slots.push(slot);
    this.#byId.set(slot.id, slot);
    if (index !== undefined) this.#byIndex.set(index, slot);
    return slot;
  }
}

function idFor(position: number): string {
  return `call_${position}`;
}

function integerOf(value: unknown): number | undefined {
  return Number.isSafeInteger(value) ? Number(value) : undefined;
}

/** Arguments as JSON text. Some providers send the value itself. */
function argumentsText(given: unknown): string {
  if (typeof given === 'string') return given;
  return given === undefined || given === null ? '' : JSON.stringify(given);
}
