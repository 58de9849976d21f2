/** Thinking blocks as members of a chat's message. */
import { type PlacedThought, placeMember } from '../chat/thought-places.js';
import type { JsonObject } from '../chat/types.js';
import { textOf } from '../json.js';
import { isMark, MAX_MARK_CHARACTERS, sealedDetail } from '../marks.js';

/** The format of `reasoning_details` that carry Anthropic's own signatures. */
export const ANTHROPIC = 'anthropic-claude-v1';

/** The format of details that carry the text of thoughts that are signed by nobody. */
export const UNSIGNED = 'unknown';

/** Whether a block holds thoughts. */
export function isThought({ type }: JsonObject): boolean {
  return type === 'thinking' || type === 'redacted_thinking';
}

/** The gateway's own mark in a block of thoughts. */
export function markIn({ type, signature, data }: JsonObject): string | undefined {
  const carried = type === 'thinking' ? signature : type === 'redacted_thinking' ? data : undefined;
  return isMark(carried) ? carried : undefined;
}

/** The details that a thought's mark carries. */
type Opened = (thought: JsonObject) => readonly JsonObject[];

const closed: Opened = (thought) => {
  const mark = markIn(thought) ?? '';
  return mark.length > MAX_MARK_CHARACTERS ? [] : [{ ...sealedDetail(mark) }];
};

/** The members `reasoning` and `reasoning_details` of the thoughts of one turn; none without any. */
export function reasoningMembers(
  thoughts: readonly PlacedThought<JsonObject>[],
  opened: Opened = closed,
): JsonObject {
  const details = thoughts.flatMap((thought, index) => detailsOf(thought, index, opened));
  const texts = thoughts.flatMap(({ thought }) => textOf(thought.thinking) ?? hiddenTextsOf(thought, opened));
  const sent = details.filter(({ format }) => format !== UNSIGNED);
  return {
    ...(texts.length > 0 && { reasoning: texts.join('\n\n') }),
    ...(sent.length > 0 && { reasoning_details: sent }),
  };
}

/** Only marks carry texts that the client was not shown. */
function hiddenTextsOf(thought: JsonObject, opened: Opened): string[] {
  if (markIn(thought) === undefined) return [];
  return opened(thought).flatMap(({ format, text }) => (format === UNSIGNED ? (textOf(text) ?? []) : []));
}

/** Each thought of Anthropic's has an index of its own, which tells it from the others. */
function detailsOf(
  { thought, place }: PlacedThought<JsonObject>,
  index: number,
  opened: Opened,
): readonly JsonObject[] {
  if (markIn(thought) !== undefined) return opened(thought);
  const { type, thinking, signature, data } = thought;
  const told = { format: ANTHROPIC, index, ...placeMember(index, place) };
  if (type === 'redacted_thinking') return [{ type: 'reasoning.encrypted', data, ...told }];
  return [{ type: 'reasoning.text', text: thinking, signature, ...told }];
}
