/** Thoughts of earlier answers, as the items that the model wants back. */
import { REASONING_FORMAT } from '../../../formats/chat/reasoning-details.js';
import {
  ownIdOfThought,
  type PositionedThought,
  positionOfThought,
} from '../../../formats/chat/thought-positions.js';
import type { ChatMessage, JsonObject } from '../../../formats/chat/types.js';
import { elements, isObject, textOf } from '../../../formats/json.js';
import { isMark } from '../../../formats/marks.js';

/** Details of one thought. */
interface Thought {
  readonly first: JsonObject;
  readonly index: unknown;
  id: string | undefined;
  summary: string;
  text: string;
  data: string | undefined;
}

/**
 * The reasoning items of a message, and where they stand in it. Without what is encrypted OpenAI does not find a thought, as it
 * stores none; `takesReadable`: the host takes what its model has written.
 */
export function thoughtItems(
  { reasoning_details }: ChatMessage,
  takesReadable: boolean,
): PositionedThought<JsonObject>[] {
  const thoughts: Thought[] = [];
  for (const detail of elements(reasoning_details)) {
    if (isObject(detail) && detail.format === REASONING_FORMAT.openai) addDetail(thoughts, detail);
  }
  return thoughts.flatMap((thought) => {
    const item = itemOf(thought, takesReadable);
    return item === undefined ? [] : [{ position: positionOfThought(thought.first), thought: item }];
  });
}

/** What is encrypted is the end of a thought. */
function addDetail(thoughts: Thought[], detail: JsonObject): void {
  const { type, index, summary, text, data } = detail;
  const last = thoughts.at(-1);
  const isSame = last !== undefined && last.index === index && last.data === undefined;
  const thought = isSame
    ? last
    : { first: detail, index, id: undefined, summary: '', text: '', data: undefined };
  if (!isSame) thoughts.push(thought);
  thought.id = ownIdOfThought(detail) ?? thought.id;
  if (type === 'reasoning.summary') thought.summary += textOf(summary) ?? '';
  if (type === 'reasoning.text') thought.text += textOf(text) ?? '';
  if (type === 'reasoning.encrypted' && !isMark(data)) thought.data = textOf(data);
}

function itemOf({ id, summary, text, data }: Thought, takesReadable: boolean): JsonObject | undefined {
  const isReadable = takesReadable && text !== '';
  if (data === undefined && !isReadable) return undefined;
  return {
    type: 'reasoning',
    ...(id !== undefined && { id }),
    summary: summary === '' ? [] : [{ type: 'summary_text', text: summary }],
    ...(isReadable && { content: [{ type: 'reasoning_text', text }] }),
    ...(data !== undefined && { encrypted_content: data }),
  };
}
