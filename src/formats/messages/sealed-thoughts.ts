/**
 * Thoughts in marks, which stay closed until their request is admitted: `docs/adr/0032-one-budget-for-a-request.md`.
 */
import { NestedReader } from '../../base/json/bounded/nested-reader.js';
import { Problem } from '../../base/problem.js';
import type { PositionedThought } from '../chat/thought-positions.js';
import type { ChatBody, ChatMessage, JsonObject } from '../chat/types.js';
import { elements, isObject } from '../json.js';
import { detailsJsonIn, type MarkSigner } from '../marks.js';
import { markIn, reasoningMembers } from './thoughts.js';

/** The thoughts of each message of a chat that has marks. */
export type SealedThoughts = ReadonlyMap<ChatMessage, readonly PositionedThought<JsonObject>[]>;

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
  const thoughts = [...sealed.values()].flat().map(({ thought }) => thought);
  const characters = thoughts.reduce((sum, thought) => sum + (markIn(thought)?.length ?? 0), 0);
  const reader = yield* NestedReader.in(chat, characters);
  const opened = new Map<JsonObject, readonly JsonObject[]>();
  let isComplete = true;
  for (const thought of thoughts) {
    const mark = markIn(thought);
    if (mark === undefined) continue;
    const details = signer && (yield* detailsIn(mark, signer, reader));
    if (details === undefined) isComplete = false;
    else opened.set(thought, details);
    yield;
  }
  const messages = chat.messages.map((message) => {
    const carried = sealed.get(message);
    return carried === undefined ? message : withThoughts(message, carried, opened);
  });
  return { chat: { ...chat, messages }, omitted: isComplete ? [] : ['reasoning'] };
}

function* detailsIn(
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

function withThoughts(
  { reasoning, reasoning_details, ...message }: ChatMessage,
  thoughts: readonly PositionedThought<JsonObject>[],
  opened: ReadonlyMap<JsonObject, readonly JsonObject[]>,
): ChatMessage {
  return { ...message, ...reasoningMembers(thoughts, (thought) => opened.get(thought) ?? []) };
}
