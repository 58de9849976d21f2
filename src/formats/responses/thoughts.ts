/** Reasoning items as details of a chat's reasoning. */
import { REASONING_FORMAT } from '../chat/reasoning-details.js';
import { type PositionedThought, positionMember } from '../chat/thought-positions.js';
import type { JsonObject } from '../chat/types.js';
import { elements, members, textOf } from '../json.js';
import { isMark } from '../marks.js';
import type { ThoughtForm } from '../reading/thoughts.js';

export const REASONING_ITEMS: ThoughtForm = { markIn, textsIn, detailsOf };

/** The mark in a reasoning item; undefined if it has none. */
export function markIn({ type, encrypted_content }: JsonObject): string | undefined {
  return type === 'reasoning' && isMark(encrypted_content) ? encrypted_content : undefined;
}

/** The text, else its summary. */
function textsIn({ content, summary }: JsonObject): readonly string[] {
  const texts = partTexts(content);
  return texts.length > 0 ? texts : partTexts(summary);
}

function partTexts(parts: unknown): string[] {
  return elements(parts).flatMap((part) => textOf(members(part).text) ?? []);
}

/** What an item of OpenAI's carries; it is read by the model that made it, and left out for all others. */
function detailsOf(
  { thought, position }: PositionedThought<JsonObject>,
  index: number,
): readonly JsonObject[] {
  const data = textOf(thought.encrypted_content);
  if (data === undefined) return [];
  const common = { format: REASONING_FORMAT.openai, index };
  const [first, ...others] = partTexts(thought.summary).map((summary) => ({
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
