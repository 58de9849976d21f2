/** Translates thinking blocks to members of a chat's message. */
import { type PositionedThought, positionMember } from '../chat/thought-positions.js';
import type { JsonObject } from '../chat/types.js';
import { textOf } from '../json.js';
import { closedDetails, isMark } from '../marks.js';
import type { MarkedThoughts } from '../reading/sealed-thoughts.js';

/** The format of `reasoning_details` with Anthropic's own signatures. */
export const ANTHROPIC = 'anthropic-claude-v1';

/** The format of details with the text of a thought that nobody signed. */
export const UNSIGNED = 'unknown';

export function isThought({ type }: JsonObject): boolean {
  return type === 'thinking' || type === 'redacted_thinking';
}

/** The mark in a block of thoughts; undefined if it has none. */
export function markIn({ type, signature, data }: JsonObject): string | undefined {
  const carried = type === 'thinking' ? signature : type === 'redacted_thinking' ? data : undefined;
  return isMark(carried) ? carried : undefined;
}

/** The thoughts of a turn, with their marks. */
export function markedThoughts(thoughts: readonly PositionedThought<JsonObject>[]): MarkedThoughts {
  return {
    marks: thoughts.flatMap(({ thought }) => markIn(thought) ?? []),
    membersWith: (detailsIn) => reasoningMembers(thoughts, detailsIn),
  };
}

/** Returns the details in a mark. */
type Opened = (mark: string) => readonly JsonObject[];

/** The members `reasoning` and `reasoning_details` for the thoughts of one turn; empty if there are none. */
export function reasoningMembers(
  thoughts: readonly PositionedThought<JsonObject>[],
  opened: Opened = closedDetails,
): JsonObject {
  const details = thoughts.flatMap((thought, index) => detailsOf(thought, index, opened));
  const texts = thoughts.flatMap(({ thought }) => textOf(thought.thinking) ?? hiddenTextsOf(thought, opened));
  const sent = details.filter(({ format }) => format !== UNSIGNED);
  return {
    ...(texts.length > 0 && { reasoning: texts.join('\n\n') }),
    ...(sent.length > 0 && { reasoning_details: sent }),
  };
}

/** Texts that the client was not shown. Only marks carry them. */
function hiddenTextsOf(thought: JsonObject, opened: Opened): string[] {
  const mark = markIn(thought);
  if (mark === undefined) return [];
  return opened(mark).flatMap(({ format, text }) => (format === UNSIGNED ? (textOf(text) ?? []) : []));
}

/** Gives each of Anthropic's thoughts an index of its own, which distinguishes it from the others. */
function detailsOf(
  { thought, position }: PositionedThought<JsonObject>,
  index: number,
  opened: Opened,
): readonly JsonObject[] {
  const mark = markIn(thought);
  if (mark !== undefined) return opened(mark);
  const { type, thinking, signature, data } = thought;
  const common = { format: ANTHROPIC, index, ...positionMember(index, position) };
  if (type === 'redacted_thinking') return [{ type: 'reasoning.encrypted', data, ...common }];
  return [{ type: 'reasoning.text', text: thinking, signature, ...common }];
}
