/**
 * Parses JSON in the texts of a chat, for hosts that take it as JSON: the arguments of calls, and results of tools.
 * This is done before a request is translated, within the bounds of a request, and once for all attempts.
 */
import { NestedReader } from '../../base/json/bounded/nested-reader.js';
import { Problem } from '../../base/problem.js';
import type { ChatBody, ChatMessage, JsonObject, ToolCall } from '../../formats/chat/types.js';
import { elements, isObject, members, textOf } from '../../formats/json.js';
import { UpstreamFailure } from '../../inference/ports/failure.js';

/** The values of the texts, by the calls and messages that contain them. Texts that are not JSON are missing. */
export type NestedJson = ReadonlyMap<object, unknown>;

/**
 * Yields when it may be interrupted. Throws `UpstreamFailure` `invalid_request` for arguments that exceed the bounds.
 */
export type ReadNested = (body: ChatBody) => Generator<void, NestedJson>;

/** A text, and the object that contains it. */
export interface NestedText {
  readonly owner: object;
  readonly text: string;
  /** Whether the request can't be sent without it. If not, a text that exceeds the bounds is left out. */
  readonly isRequired: boolean;
}

const NOTHING: NestedJson = new Map();

/** Parses the texts that `textsOf` finds in the messages, once per list of messages. */
export function nestedReading(textsOf: (message: ChatMessage) => readonly NestedText[]): ReadNested {
  const known = new WeakMap<object, NestedJson>();
  return function* (body) {
    const { messages } = body;
    const before = known.get(messages);
    if (before !== undefined) return before;
    const texts = messages.flatMap(textsOf);
    const read = texts.length === 0 ? NOTHING : yield* readAll(body, texts);
    known.set(messages, read);
    return read;
  };
}

/** For hosts that take all texts as they are. */
export const readNothing = nestedReading(() => []);

/** Parses only the arguments of calls. */
export const readArguments = nestedReading(argumentsIn);

/** The texts of a message's arguments. Arguments that are not a text are skipped. */
export function argumentsIn({ tool_calls }: ChatMessage): readonly NestedText[] {
  return elements(tool_calls).flatMap((call) => {
    const text = isObject(call) ? textOf(members(call.function).arguments)?.trim() : undefined;
    return text ? [{ owner: call as object, text, isRequired: true }] : [];
  });
}

/** The arguments of a call as an object, `{}` if it has none; undefined if they are not an object. */
export function argumentsOf(call: ToolCall, nested: NestedJson): object | undefined {
  const { arguments: given } = members(call.function);
  const input = isBlank(given) ? NO_ARGUMENTS : isObject(given) ? given : nested.get(call);
  return isObject(input) ? input : undefined;
}

const NO_ARGUMENTS: JsonObject = {};

function isBlank(given: unknown): boolean {
  return given === undefined || given === null || (typeof given === 'string' && given.trim() === '');
}

function* readAll(body: ChatBody, texts: readonly NestedText[]): Generator<void, NestedJson> {
  const characters = texts.reduce((sum, { text }) => sum + text.length, 0);
  const reader = yield* NestedReader.in(body, characters);
  const read = new Map<object, unknown>();
  for (const { owner, text, isRequired } of texts) {
    try {
      const value = yield* reader.read(text);
      if (value !== undefined) read.set(owner, value);
    } catch (thrown) {
      if (!(thrown instanceof Problem)) throw thrown;
      if (isRequired) throw refused(thrown);
    }
    yield;
  }
  return read;
}

function refused(cause: Problem): UpstreamFailure {
  const message = `${cause.message}; the arguments of its calls count, which this provider takes as JSON: send fewer or shorter ones`;
  return new UpstreamFailure(message, { kind: 'invalid_request', isPenalised: false, cause });
}
