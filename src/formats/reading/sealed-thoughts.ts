/**
 * Thoughts in marks, which stay closed until their request is admitted: `docs/adr/0032-one-budget-for-a-request.md`.
 */
import { NestedReader } from '../../base/json/bounded/nested-reader.js';
import { Problem } from '../../base/problem.js';
import type { ChatBody, ChatMessage, JsonObject } from '../chat/types.js';
import { elements, isObject } from '../json.js';
import { detailsJsonIn, type MarkSigner } from '../marks.js';

/** The thoughts of a message, some of which are in marks. */
export interface MarkedThoughts {
  readonly marks: readonly string[];
  /** The message's members `reasoning` and `reasoning_details`, where each mark has these details. */
  membersWith(detailsIn: (mark: string) => readonly JsonObject[]): JsonObject;
}

/** The thoughts of each message of a chat that has marks. */
export type SealedThoughts = ReadonlyMap<ChatMessage, MarkedThoughts>;

/** A chat whose marks have been read. */
export interface OpenedThoughts {
  readonly chat: ChatBody;
  /**
   * `reasoning` if a mark was dropped: one of another account or an earlier version, or one that was damaged or too
   * large.
   */
  readonly omitted: readonly string[];
}

/** Reads the marks of a chat; without a signer all are dropped. Yields when it may be interrupted. */
export function* openThoughts(
  chat: ChatBody,
  sealed: SealedThoughts,
  signer: MarkSigner | undefined,
): Generator<void, OpenedThoughts> {
  const marks = [...sealed.values()].flatMap((thoughts) => thoughts.marks);
  const characters = marks.reduce((sum, mark) => sum + mark.length, 0);
  const reader = yield* NestedReader.in(chat, characters);
  const opened = new Map<string, readonly JsonObject[]>();
  let isComplete = true;
  for (const mark of marks) {
    const details = signer && (yield* detailsOf(mark, signer, reader));
    if (details === undefined) isComplete = false;
    else opened.set(mark, details);
    yield;
  }
  const messages = chat.messages.map((message) => {
    const carried = sealed.get(message);
    return carried === undefined ? message : withThoughts(message, carried, opened);
  });
  return { chat: { ...chat, messages }, omitted: isComplete ? [] : ['reasoning'] };
}

function* detailsOf(
  mark: string,
  signer: MarkSigner,
  reader: NestedReader,
): Generator<void, readonly JsonObject[] | undefined> {
  const json = detailsJsonIn(mark, signer);
  if (json === undefined) return undefined;
  try {
    return elements(yield* reader.read(json)).filter(isObject);
  } catch (thrown) {
    if (thrown instanceof Problem) return undefined;
    throw thrown;
  }
}

const NONE: readonly JsonObject[] = [];

function withThoughts(
  { reasoning, reasoning_details, ...message }: ChatMessage,
  thoughts: MarkedThoughts,
  opened: ReadonlyMap<string, readonly JsonObject[]>,
): ChatMessage {
  return { ...message, ...thoughts.membersWith((mark) => opened.get(mark) ?? NONE) };
}
