/** The thoughts of a turn as members of a chat's message, whichever format they are written in. */
import { REASONING_FORMAT } from '../chat/reasoning-details.js';
import type { PositionedThought } from '../chat/thought-positions.js';
import { type JsonObject, textOf } from '../json.js';
import { closedDetails } from '../marks.js';
import type { MarkedThoughts } from './sealed-thoughts.js';

/** How a format writes a thought. */
export interface ThoughtForm {
  /** The mark in a thought; undefined if it has none. */
  markIn(thought: JsonObject): string | undefined;
  /** What a person can read in it. */
  textsIn(thought: JsonObject): readonly string[];
  /** The details of a thought without a mark. Its index distinguishes it from the turn's others. */
  detailsOf(thought: PositionedThought<JsonObject>, index: number): readonly JsonObject[];
}

/** Returns the details in a mark. */
type Opened = (mark: string) => readonly JsonObject[];

/** The members `reasoning` and `reasoning_details` for the thoughts of one turn; empty if there are none. */
export function reasoningMembers(
  form: ThoughtForm,
  thoughts: readonly PositionedThought<JsonObject>[],
  opened: Opened = closedDetails,
): JsonObject {
  const texts = thoughts.flatMap(({ thought }) => {
    const shown = form.textsIn(thought);
    return shown.length > 0 ? shown : hiddenTexts(form.markIn(thought), opened);
  });
  const details = thoughts.flatMap((positioned, index) => {
    const mark = form.markIn(positioned.thought);
    return mark === undefined ? form.detailsOf(positioned, index) : opened(mark);
  });
  const sent = details.filter(({ format }) => format !== REASONING_FORMAT.unsigned);
  return {
    ...(texts.length > 0 && { reasoning: texts.join('\n\n') }),
    ...(sent.length > 0 && { reasoning_details: sent }),
  };
}

/** The thoughts of a turn, with their marks. */
export function markedThoughts(
  form: ThoughtForm,
  thoughts: readonly PositionedThought<JsonObject>[],
): MarkedThoughts {
  return {
    marks: thoughts.flatMap(({ thought }) => form.markIn(thought) ?? []),
    membersWith: (detailsIn) => reasoningMembers(form, thoughts, detailsIn),
  };
}

/** Texts that the client was not shown. Only marks carry them. */
function hiddenTexts(mark: string | undefined, opened: Opened): string[] {
  if (mark === undefined) return [];
  return opened(mark).flatMap(({ format, text }) =>
    format === REASONING_FORMAT.unsigned ? (textOf(text) ?? []) : [],
  );
}
