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

interface StreamedCall {
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
  readonly #calls: StreamedCall[] = [];
  readonly #byId = new Map<string, StreamedCall>();
  /** The latest call at each of the provider's indexes. */
  readonly #byIndex = new Map<number, StreamedCall>();

  /**
   * The fragment with our `index`, and with `id`, `type` and `name` once each. Throws for more calls than a message may
   * have.
   */
  take(fragment: unknown): ToolCall {
    const { index, id, type, function: called, ...others } = members(fragment);
    const { name, arguments: given } = members(called);
    const known = this.#find(textOf(id), integerOf(index), textOf(name));
    const call = known ?? this.#add(textOf(id), integerOf(index));
    const opening = known === undefined && { id: call.id, type: textOf(type) ?? 'function' };
    if (!isObject(called)) return { index: call.index, ...opening, ...others };
    const text = argumentsText(given);
    const isNamed = call.name === undefined && textOf(name) !== undefined;
    call.name ??= textOf(name);
    call.isFunction = true;
    call.hasArguments ||= text !== '';
    const added = { ...(isNamed && call.name !== undefined && { name: call.name }), arguments: text };
    return { index: call.index, ...opening, ...others, function: added };
  }

  /** Fragments for the calls that came without arguments. */
  finish(): ToolCall[] {
    return this.#calls
      .filter(({ isFunction, hasArguments }) => isFunction && !hasArguments)
      .map(({ index }) => ({ index, function: { arguments: NO_ARGUMENTS } }));
  }

  /** A known id takes precedence over the index. A new id means a new call, unless the current call had no id yet. */
  #find(
    id: string | undefined,
    index: number | undefined,
    name: string | undefined,
  ): StreamedCall | undefined {
    const there = index === undefined ? this.#calls.at(-1) : this.#byIndex.get(index);
    if (id !== undefined) {
      const known = this.#byId.get(id);
      if (known !== undefined || there?.isIdOurs !== true || name !== undefined) return known;
      this.#byId.set(id, there);
      return there;
    }
    const isAnother = name !== undefined && (index === undefined || name !== (there?.name ?? name));
    return isAnother ? undefined : there;
  }

  #add(id: string | undefined, index: number | undefined): StreamedCall {
    checkCount(this.#calls.length + 1, MAX_CALLS);
    const call: StreamedCall = {
      index: this.#calls.length,
      id: id ?? idFor(this.#calls.length),
      isIdOurs: id === undefined,
      name: undefined,
      isFunction: false,
      hasArguments: false,
    };
    this.#calls.push(call);
    this.#byId.set(call.id, call);
    if (index !== undefined) this.#byIndex.set(index, call);
    return call;
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
