/** Translates reasoning items to members of a chat's message. */
import { type PositionedThought, positionMember } from '../chat/thought-positions.js';
import type { JsonObject } from '../chat/types.js';
import { elements, members, textOf } from '../json.js';
import { closedDetails, isMark } from '../marks.js';
import { UNSIGNED } from '../messages/thoughts.js';
import type { MarkedThoughts } from '../reading/sealed-thoughts.js';

/** The format of `reasoning_details` with what OpenAI's own models need back. */
const OPENAI_RESPONSES = 'openai-responses-v1';

/** The mark in a reasoning item; undefined if it has none. */
export function markIn({ type, encrypted_content }: JsonObject): string | undefined {
  return type === 'reasoning' && isMark(encrypted_content) ? encrypted_content : undefined;
}

/** The reasoning items of a turn, with their marks. */
export function markedThoughts(items: readonly PositionedThought<JsonObject>[]): MarkedThoughts {
  return {
    marks: items.flatMap(({ thought }) => markIn(thought) ?? []),
    membersWith: (detailsIn) => reasoningMembers(items, detailsIn),
  };
}

/** Returns the details in a mark. */
type Opened = (mark: string) => readonly JsonObject[];

/** The members `reasoning` and `reasoning_details` for the reasoning items of one turn; empty if there are none. */
export function reasoningMembers(
  items: readonly PositionedThought<JsonObject>[],
  opened: Opened = closedDetails,
): JsonObject {
  const details = items.flatMap((item, index) => detailsOf(item, index, opened));
  const texts = items.flatMap(({ thought }) => textsOf(thought, opened));
  const sent = details.filter(({ format }) => format !== UNSIGNED);
  return {
    ...(texts.length > 0 && { reasoning: texts.join('\n\n') }),
    ...(sent.length > 0 && { reasoning_details: sent }),
  };
}

/** What a person can read of it: the text, else its summary, else what only a mark carries. */
function textsOf(item: JsonObject, opened: Opened): string[] {
  const shown = [item.content, item.summary].map(textsIn).find((texts) => texts.length > 0);
  if (shown !== undefined) return shown;
  const mark = markIn(item);
  if (mark === undefined) return [];
  return opened(mark).flatMap(({ format, text }) => (format === UNSIGNED ? (textOf(text) ?? []) : []));
}

function textsIn(parts: unknown): string[] {
  return elements(parts).flatMap((part) => textOf(members(part).text) ?? []);
}

/** What an item of OpenAI's carries; it is read by the model that made it, and left out for all others. */
function detailsOf(
  { thought, position }: PositionedThought<JsonObject>,
  index: number,
  opened: Opened,
): readonly JsonObject[] {
  const mark = markIn(thought);
  if (mark !== undefined) return opened(mark);
  const data = textOf(thought.encrypted_content);
  if (data === undefined) return [];
  const common = { format: OPENAI_RESPONSES, index };
  const [first, ...others] = textsIn(thought.summary).map((summary) => ({
    type: 'reasoning.summary',
    summary,
    ...common,
  }));
  const encrypted = { type: 'reasoning.encrypted', data, ...common };
  const own = textOf(thought.id);
  if (first === undefined) return [{ ...encrypted, ...positionMember(index, position, own) }];
  const placed = { ...first, ...positionMember(index, position) };
  return [placed, ...others, { ...encrypted, ...positionMember(index, BEGINNING, own) }];
}

const BEGINNING = { content: 0, calls: 0 };
