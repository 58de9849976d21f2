/** Thinking blocks as details of a chat's reasoning. */
import { REASONING_FORMAT } from '../chat/reasoning-details.js';
import { type PositionedThought, positionMember } from '../chat/thought-positions.js';
import type { JsonObject } from '../chat/types.js';
import { textOf } from '../json.js';
import { isMark } from '../marks.js';
import type { ThoughtForm } from '../reading/thoughts.js';

export const THINKING_BLOCKS: ThoughtForm = {
  markIn,
  textsIn: ({ thinking }) => [textOf(thinking) ?? []].flat(),
  detailsOf,
};

export function isThought({ type }: JsonObject): boolean {
  return type === 'thinking' || type === 'redacted_thinking';
}

/** The mark in a block of thoughts; undefined if it has none. */
export function markIn({ type, signature, data }: JsonObject): string | undefined {
  const carried = type === 'thinking' ? signature : type === 'redacted_thinking' ? data : undefined;
  return isMark(carried) ? carried : undefined;
}

function detailsOf(
  { thought, position }: PositionedThought<JsonObject>,
  index: number,
): readonly JsonObject[] {
  const { type, thinking, signature, data } = thought;
  const common = { format: REASONING_FORMAT.anthropic, index, ...positionMember(index, position) };
  if (type === 'redacted_thinking') return [{ type: 'reasoning.encrypted', data, ...common }];
  return [{ type: 'reasoning.text', text: thinking, signature, ...common }];
}
