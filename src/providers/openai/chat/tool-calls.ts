/** Normalises tool calls. What hosts do, and where it was reported: `docs/providers/openai-compatible.md#tool-calls`. */
import { exactJson } from '../../../base/json/json-body.js';
import type { ToolCall } from '../../../formats/chat/types.js';
import { isObject, members, textOf } from '../../../formats/json.js';
import { checkCount, MAX_CALLS } from '../../common/answer-bounds.js';
import type { AnswerCallIds } from '../../common/answer-call-ids.js';
import { isBeginning, isBlank, StreamedCall } from './streamed-call.js';

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
  readonly call: StreamedCall;
  readonly opening: Fragment;
}

/**
 * The tool calls of one streamed choice. Ids and indexes of hosts do not always tell calls apart, but arguments are one
 * JSON object: what comes before its end belongs to the same call, and what comes after it to another.
 */
export class StreamedToolCalls {
  readonly #ids: AnswerCallIds;
  readonly #calls: StreamedCall[] = [];
  /** The latest call with each of the host's ids. */
  readonly #byId = new Map<string, StreamedCall>();
  /** The latest call at each of the host's indexes. */
  readonly #byIndex = new Map<number, StreamedCall>();
  /** By the host's index. */
  readonly #reopenings = new Map<number | undefined, Reopening>();
  readonly #tools: readonly string[];

  /** `tools`: the names of those that the model was given, by which a name that comes in pieces is told from another call. */
  constructor(ids: AnswerCallIds, tools: readonly string[]) {
    this.#ids = ids;
    this.#tools = tools;
  }

  /** Whether there is any. */
  get hasCalls(): boolean {
    return this.#calls.length > 0;
  }

  /** The id of the call that a fragment of ours belongs to. */
  readonly idOf = ({ index = 0 }: ToolCall): string => this.#calls[index]?.id ?? '';

  /** Whether a function has no whole arguments yet. */
  get hasOpen(): boolean {
    return this.#calls.some((call) => call.isFunction && !call.isComplete);
  }

  /** Whether the arguments of a call have begun and not ended. */
  get isCut(): boolean {
    return this.#calls.some((call) => call.hasArguments && !call.isComplete);
  }

  /**
   * The fragments of one delta with our `index`, and with `id`, `type` and `name` once each. Throws `UpstreamFailure`
   * `malformed` for more calls than a message may have.
   */
  take(fragments: readonly unknown[]): ToolCall[] {
    const named = new Set<StreamedCall>();
    return fragments.flatMap((fragment) => this.#takeOne(fragment, named));
  }

  /** Fragments for the calls that came without arguments, including those of which only the opening came. */
  finish(): ToolCall[] {
    return [...this.#openedAgain(), ...this.#withoutArguments()];
  }

  /** A second opening without an id is a call of its own: hosts that repeat openings repeat ids. */
  #openedAgain(): ToolCall[] {
    const openings = [...this.#reopenings.values()].filter(({ opening: { id } }) => id === undefined);
    this.#reopenings.clear();
    return openings.map(({ opening: { id, index, name = '' } }) => {
      const call = this.#add({ id, index });
      call.add(NO_ARGUMENTS);
      return {
        index: call.index,
        id: call.id,
        type: 'function',
        function: { name, arguments: NO_ARGUMENTS },
      };
    });
  }

  #withoutArguments(): ToolCall[] {
    return this.#calls
      .filter(({ isFunction, hasArguments }) => isFunction && !hasArguments)
      .map((call) => this.#fragment(call, NO_ARGUMENTS));
  }

  /** `named`: the calls that the delta has named so far, to which its own is added. */
  #takeOne(given: unknown, named: Set<StreamedCall>): ToolCall[] {
    const { index, id, type, function: called, ...others } = members(given);
    const { name, arguments: value } = members(called);
    const fragment: Fragment = {
      id: textOf(id),
      index: integerOf(index),
      name: textOf(name) ?? textOf(members(others.custom).name),
      text: argumentsText(value),
    };
    const begun = this.#begunBy(fragment);
    if (begun !== undefined) begun.name = `${begun.name}${fragment.name}`;
    const reopened = begun === undefined ? this.#reopened(fragment) : undefined;
    const known = begun ?? (reopened === undefined ? this.#find(fragment, named) : undefined);
    if (begun === undefined && known !== undefined && this.#isRepetition(known, fragment)) {
      known.isFunction ||= isObject(called);
      return Object.keys(others).length === 0 ? [] : [{ index: known.index, ...others }];
    }
    const call = known ?? this.#add(reopened ?? fragment);
    if (fragment.name !== undefined) named.add(call);
    this.#know(call, reopened ?? fragment);
    if (known === undefined) call.type = textOf(type) ?? 'function';
    // Clients order calls as they come, so that one that is held goes out before the next.
    const held = known === undefined ? this.#heldBefore(call) : [];
    if (!isObject(called)) return [...held, { index: call.index, ...call.open(), ...others }];
    call.add(fragment.text);
    if (!call.isOpened && fragment.text === '' && this.#mayGoOn(call.name)) {
      Object.assign(call.held, others);
      return held;
    }
    return [...held, { ...this.#fragment(call, fragment.text), ...others }];
  }

  #heldBefore(call: StreamedCall): ToolCall[] {
    const last = this.#calls.at(-2);
    return last === undefined || last === call || last.isOpened ? [] : [this.#fragment(last, '')];
  }

  /** A fragment of arguments, with all that has not been said of the call. */
  #fragment(call: StreamedCall, text: string): ToolCall {
    const news = call.isNameSent ? undefined : call.name;
    call.isNameSent ||= news !== undefined;
    const added = { ...(news !== undefined && { name: news }), arguments: text };
    return { index: call.index, ...call.open(), function: added };
  }

  /** Whether more of the name may come: it is the beginning of a tool's. */
  #mayGoOn(name: string | undefined): boolean {
    return name !== undefined && this.#tools.some((tool) => tool !== name && tool.startsWith(name));
  }

  /** The call whose name goes on in this fragment: some models send names in pieces, before any arguments. */
  #begunBy({ id, index, name }: Fragment): StreamedCall | undefined {
    const call = index === undefined ? this.#calls.at(-1) : this.#byIndex.get(index);
    if (call?.name === undefined || name === undefined || call.isOpened) return undefined;
    const isSameId = id === undefined || this.#byId.get(id) === call;
    const whole = `${call.name}${name}`;
    return isSameId && (this.#tools.includes(whole) || this.#mayGoOn(whole)) ? call : undefined;
  }

  /** The opening before these arguments, where they are those of another call. */
  #reopened({ index, name, text }: Fragment): Fragment | undefined {
    const reopening = this.#reopenings.size === 0 ? undefined : this.#reopenings.get(index);
    if (reopening === undefined || name !== undefined || isBlank(text)) return undefined;
    this.#reopenings.delete(index);
    const { call, opening } = reopening;
    return call.isComplete || (call.hasArguments && isBeginning(text)) ? opening : undefined;
  }

  /** The call that the fragment continues; undefined where it begins one. */
  #find(fragment: Fragment, named: ReadonlySet<StreamedCall>): StreamedCall | undefined {
    const { id, index, name, text } = fragment;
    const ofId = id === undefined ? undefined : this.#byId.get(id);
    const there = index === undefined ? this.#calls.at(-1) : this.#byIndex.get(index);
    if (name !== undefined) {
      const possible = ofId === there ? [there] : [there, ofId];
      // Two openings in one delta are two calls, unless an id or arguments say otherwise.
      const isOpen = (call: StreamedCall) => call.hasArguments || id !== undefined || !named.has(call);
      return possible.find((call) => call && isOpen(call) && this.#isNamedAgain(call, fragment, there));
    }
    if (ofId !== undefined) return this.#goingOn(ofId, fragment);
    if (id === undefined && there !== undefined) return this.#goingOn(there, fragment);
    // Some hosts give each fragment another id, or another index than the opening's; the name of a new call may come late.
    const before = id === undefined ? this.#calls.at(-1) : there;
    return before === undefined || (before.isComplete && !isBlank(text)) ? undefined : before;
  }

  /** Whether the fragment, which has a name, belongs to a call that has begun. */
  #isNamedAgain(
    call: StreamedCall,
    { id, index, name, text }: Fragment,
    there: StreamedCall | undefined,
  ): boolean {
    const isSameId = id === undefined || this.#byId.get(id) === call;
    if (call.name === undefined) return isSameId || call.hostId === undefined;
    if (call.name !== name) return false;
    if (call.isComplete) return isSameId && (isBlank(text) || (id !== undefined && call.isWhole(text)));
    if (!isSameId) return index !== undefined && call.hasArguments && !isBeginning(text);
    return call === there || !call.hasArguments || !isBeginning(text);
  }

  /** Whether it adds nothing to the call. Without arguments it may still open another one. */
  #isRepetition(call: StreamedCall, fragment: Fragment): boolean {
    const { index, name, text } = fragment;
    if (name === undefined || call.name === undefined || !(text === '' || call.isComplete)) return false;
    const isElsewhere = index !== undefined && this.#byIndex.get(index) !== call;
    if (isBlank(text) && (isElsewhere || call.isComplete)) {
      this.#reopenings.set(index, { call, opening: fragment });
    }
    this.#know(call, fragment);
    return true;
  }

  /** Where fragments have another index than the opening of their call, it may be that of an earlier one. */
  #goingOn(call: StreamedCall, { index, text }: Fragment): StreamedCall {
    const last = this.#calls.at(-1);
    if (last === undefined || last === call || last.hasArguments || !isBeginning(text)) return call;
    if (!call.isComplete) return call;
    if (index !== undefined) this.#byIndex.set(index, last);
    return last;
  }

  #add({ id, index }: Pick<Fragment, 'id' | 'index'>): StreamedCall {
    checkCount(this.#calls.length + 1, MAX_CALLS);
    const call = new StreamedCall(this.#calls.length, this.#ids.next(id));
    this.#calls.push(call);
    if (id !== undefined) this.#byId.set(id, call);
    if (index !== undefined) this.#byIndex.set(index, call);
    return call;
  }

  /** Learns what the fragment says of its call. */
  #know(call: StreamedCall, { id, index, name }: Fragment): void {
    call.name ??= name;
    call.hostId ??= id;
    if (id !== undefined) this.#byId.set(id, call);
    if (index !== undefined && !this.#byIndex.has(index)) this.#byIndex.set(index, call);
  }
}

function integerOf(value: unknown): number | undefined {
  return Number.isSafeInteger(value) ? Number(value) : undefined;
}

/** Arguments as JSON text. Some providers send the value itself. */
function argumentsText(given: unknown): string {
  if (typeof given === 'string') return given;
  return given === undefined || given === null ? '' : exactJson(given);
}
