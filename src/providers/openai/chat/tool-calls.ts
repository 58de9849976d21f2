/** Normalises tool calls. What hosts do, and where it was reported: `docs/providers/openai-compatible.md#tool-calls`. */
import { exactJson } from '../../../base/json/json-body.js';
import type { ToolCall } from '../../../formats/chat/types.js';
import { isObject, members, textOf } from '../../../formats/json.js';
import { checkCount, MAX_CALLS } from '../../common/answer-bounds.js';
import type { AnswerCallIds } from '../../common/answer-call-ids.js';
import { CallSlot, isBeginning, isBlank } from './call-slot.js';

/** Arguments must be JSON even for a call without any. */
const NO_ARGUMENTS = '{}';

/** The tool calls of an answer in one piece. */
export function wholeToolCalls(calls: readonly unknown[], ids: AnswerCallIds): ToolCall[] {
  return calls.map((call) => {
    const { index, id, type, function: called, ...others } = members(call);
    const { name, arguments: given } = members(called);
    return {
      id: ids.next(textOf(id)),
      type: textOf(type) ?? 'function',
      ...(isObject(called) && {
        function: { name: textOf(name) ?? '', arguments: argumentsText(given) || NO_ARGUMENTS },
      }),
      ...others,
    };
  });
}

/** What of a fragment tells which call it belongs to. */
interface Fragment {
  readonly id: string | undefined;
  readonly index: number | undefined;
  readonly name: string | undefined;
  /** Of the arguments. */
  readonly text: string;
}

/** The opening of a call that comes once more, or that of another one: the arguments after it tell. */
interface Reopening {
  readonly slot: CallSlot;
  readonly opening: Fragment;
}

/**
 * The tool calls of one streamed choice. Ids and indexes of hosts do not always tell calls apart, but arguments are one
 * JSON object: what comes before its end belongs to the same call, and what comes after it to another.
 */
export class StreamedToolCalls {
  readonly #ids: AnswerCallIds;
  readonly #slots: CallSlot[] = [];
  /** The latest call with each of the host's ids. */
  readonly #byId = new Map<string, CallSlot>();
  /** The latest call at each of the host's indexes. */
  readonly #byIndex = new Map<number, CallSlot>();
  /** By the host's index. */
  readonly #reopenings = new Map<number | undefined, Reopening>();

  constructor(ids: AnswerCallIds) {
    this.#ids = ids;
  }

  /** Whether there is any. */
  get hasCalls(): boolean {
    return this.#slots.length > 0;
  }

  /** Whether the arguments of a call have begun and not ended. */
  get isCut(): boolean {
    return this.#slots.some((slot) => slot.hasArguments && !slot.isComplete);
  }

  /**
   * The fragments of one delta with our `index`, and with `id`, `type` and `name` once each. Throws `UpstreamFailure`
   * `malformed` for more calls than a message may have.
   */
  take(fragments: readonly unknown[]): ToolCall[] {
    const named = new Set<CallSlot>();
    return fragments.flatMap((fragment) => this.#takeOne(fragment, named));
  }

  /** Fragments for the calls that came without arguments, those that only their opening told of among them. */
  finish(): ToolCall[] {
    return [...this.#openedAgain(), ...this.#withoutArguments()];
  }

  /** A second opening without an id is a call of its own: hosts that repeat openings repeat ids. */
  #openedAgain(): ToolCall[] {
    const openings = [...this.#reopenings.values()].filter(({ opening: { id } }) => id === undefined);
    this.#reopenings.clear();
    return openings.map(({ opening: { id, index, name = '' } }) => {
      const slot = this.#add({ id, index });
      slot.add(NO_ARGUMENTS);
      return {
        index: slot.index,
        id: slot.id,
        type: 'function',
        function: { name, arguments: NO_ARGUMENTS },
      };
    });
  }

  #withoutArguments(): ToolCall[] {
    return this.#slots
      .filter(({ isFunction, hasArguments }) => isFunction && !hasArguments)
      .map(({ index }) => ({ index, function: { arguments: NO_ARGUMENTS } }));
  }

  /** `named`: the calls that the delta has named so far, to which its own is added. */
  #takeOne(given: unknown, named: Set<CallSlot>): ToolCall[] {
    const { index, id, type, function: called, ...others } = members(given);
    const { name, arguments: value } = members(called);
    const fragment: Fragment = {
      id: textOf(id),
      index: integerOf(index),
      name: textOf(name) ?? textOf(members(others.custom).name),
      text: argumentsText(value),
    };
    const reopened = this.#reopened(fragment);
    const known = reopened === undefined ? this.#find(fragment, named) : undefined;
    if (known !== undefined && this.#isRepetition(known, fragment)) {
      known.isFunction ||= isObject(called);
      return Object.keys(others).length === 0 ? [] : [{ index: known.index, ...others }];
    }
    const slot = known ?? this.#add(reopened ?? fragment);
    if (fragment.name !== undefined) named.add(slot);
    this.#know(slot, reopened ?? fragment);
    const opening = known === undefined && { id: slot.id, type: textOf(type) ?? 'function' };
    if (!isObject(called)) return [{ index: slot.index, ...opening, ...others }];
    const news = slot.isNameTold ? undefined : slot.name;
    slot.isNameTold ||= news !== undefined;
    slot.add(fragment.text);
    const added = { ...(news !== undefined && { name: news }), arguments: fragment.text };
    return [{ index: slot.index, ...opening, ...others, function: added }];
  }

  /** The opening before these arguments, where they are those of another call. */
  #reopened({ index, name, text }: Fragment): Fragment | undefined {
    const reopening = this.#reopenings.size === 0 ? undefined : this.#reopenings.get(index);
    if (reopening === undefined || name !== undefined || isBlank(text)) return undefined;
    this.#reopenings.delete(index);
    const { slot, opening } = reopening;
    return slot.isComplete || (slot.hasArguments && isBeginning(text)) ? opening : undefined;
  }

  /** The call that the fragment continues; undefined where it begins one. */
  #find(fragment: Fragment, named: ReadonlySet<CallSlot>): CallSlot | undefined {
    const { id, index, name, text } = fragment;
    const ofId = id === undefined ? undefined : this.#byId.get(id);
    const there = index === undefined ? this.#slots.at(-1) : this.#byIndex.get(index);
    if (name !== undefined) {
      const candidates = ofId === there ? [there] : [there, ofId];
      // Two openings in one delta are two calls, unless an id or arguments say otherwise.
      const isOpen = (slot: CallSlot) => slot.hasArguments || id !== undefined || !named.has(slot);
      return candidates.find((slot) => slot && isOpen(slot) && this.#isNamedAgain(slot, fragment, there));
    }
    if (ofId !== undefined) return this.#goingOn(ofId, fragment);
    if (id === undefined && there !== undefined) return this.#goingOn(there, fragment);
    // Some hosts give each fragment another id, or another index than the opening's; the name of a new call may come late.
    const before = id === undefined ? this.#slots.at(-1) : there;
    return before === undefined || (before.isComplete && !isBlank(text)) ? undefined : before;
  }

  /** Whether the fragment, which has a name, belongs to a call that has begun. */
  #isNamedAgain(slot: CallSlot, { id, index, name, text }: Fragment, there: CallSlot | undefined): boolean {
    const isSameId = id === undefined || this.#byId.get(id) === slot;
    if (slot.name === undefined) return isSameId || slot.hostId === undefined;
    if (slot.name !== name) return false;
    if (slot.isComplete) return isSameId && (isBlank(text) || (id !== undefined && slot.isWhole(text)));
    if (!isSameId) return index !== undefined && slot.hasArguments && !isBeginning(text);
    return slot === there || !slot.hasArguments || !isBeginning(text);
  }

  /** Whether it adds nothing to the call. Without arguments it may still open another one. */
  #isRepetition(slot: CallSlot, fragment: Fragment): boolean {
    const { index, name, text } = fragment;
    if (name === undefined || slot.name === undefined || !(text === '' || slot.isComplete)) return false;
    const isElsewhere = index !== undefined && this.#byIndex.get(index) !== slot;
    if (isBlank(text) && (isElsewhere || slot.isComplete)) {
      this.#reopenings.set(index, { slot, opening: fragment });
    }
    this.#know(slot, fragment);
    return true;
  }

  /** Where fragments have another index than the opening of their call, it may be that of an earlier one. */
  #goingOn(slot: CallSlot, { index, text }: Fragment): CallSlot {
    const last = this.#slots.at(-1);
    if (last === undefined || last === slot || last.hasArguments || !isBeginning(text)) return slot;
    if (!slot.isComplete) return slot;
    if (index !== undefined) this.#byIndex.set(index, last);
    return last;
  }

  #add({ id, index }: Pick<Fragment, 'id' | 'index'>): CallSlot {
    checkCount(this.#slots.length + 1, MAX_CALLS);
    const slot = new CallSlot(this.#slots.length, this.#ids.next(id));
    this.#slots.push(slot);
    if (id !== undefined) this.#byId.set(id, slot);
    if (index !== undefined) this.#byIndex.set(index, slot);
    return slot;
  }

  /** Learns what the fragment says of its call. */
  #know(slot: CallSlot, { id, index, name }: Fragment): void {
    slot.name ??= name;
    slot.hostId ??= id;
    if (id !== undefined) this.#byId.set(id, slot);
    if (index !== undefined && !this.#byIndex.has(index)) this.#byIndex.set(index, slot);
  }
}

function integerOf(value: unknown): number | undefined {
  return Number.isSafeInteger(value) ? Number(value) : undefined;
}

/** Arguments as JSON text; some providers send the value itself. */
function argumentsText(given: unknown): string {
  if (typeof given === 'string') return given;
  return given === undefined || given === null ? '' : exactJson(given);
}
