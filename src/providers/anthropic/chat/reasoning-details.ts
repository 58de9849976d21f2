/**
 * A model's thoughts in `reasoning_details`, with the signatures that must be sent back unchanged when the conversation
 * continues, especially after tool calls. The plain text is in `reasoning`.
 */
import { REASONING_FORMAT } from '../../../formats/chat/reasoning-details.js';
import {
  type PositionedThought,
  positionMember,
  positionOfThought,
  type ThoughtPosition,
} from '../../../formats/chat/thought-positions.js';
import type { ChatMessage, JsonObject } from '../../../formats/chat/types.js';
import { elements, isObject } from '../../../formats/json.js';
import { isMark } from '../../../formats/marks.js';
import { checkCount, MAX_BLOCKS } from '../../common/answer-bounds.js';
import type { Block } from './block.js';

/** The detail of a readable thought: text, signature or both. Pieces of one thought share an `index`. */
export function textDetail(
  index: number,
  content: { readonly text?: string; readonly signature?: string },
): JsonObject {
  return { type: 'reasoning.text', ...content, format: REASONING_FORMAT.anthropic, index };
}

/** The detail of a redacted thought. */
export function encryptedDetail(index: number, data: string): JsonObject {
  return { type: 'reasoning.encrypted', data, format: REASONING_FORMAT.anthropic, index };
}

/** What the details of the thoughts in one answer say of their positions: each in the first detail of the thought. */
export class ThoughtPositions {
  /** Thoughts by the indexes of their blocks. */
  readonly #thoughts = new Map<unknown, number>();

  /** The detail that `make` gives for the block's thought. Throws `UpstreamFailure` `malformed` for too many. */
  detailOf(block: unknown, position: ThoughtPosition, make: (index: number) => JsonObject): JsonObject {
    const known = this.#thoughts.get(block);
    if (known !== undefined) return make(known);
    const index = this.#thoughts.size;
    this.#thoughts.set(block, index);
    checkCount(this.#thoughts.size, MAX_BLOCKS);
    return { ...make(index), ...positionMember(index, position) };
  }
}

/** The blocks of a message's details, which may be whole or pieces of a stream, and where they stand in it. */
export function thinkingBlocks({ reasoning_details }: ChatMessage): PositionedThought<Block>[] {
  const thoughts: Thought[] = [];
  for (const detail of elements(reasoning_details)) {
    if (isObject(detail) && (detail.format ?? REASONING_FORMAT.anthropic) === REASONING_FORMAT.anthropic)
      addDetail(thoughts, detail);
  }
  return thoughts.flatMap((thought) =>
    blockOf(thought).map((block) => ({ position: thought.position, thought: block })),
  );
}

/** A thought that is being assembled. */
interface Thought {
  readonly index: unknown;
  readonly position: ThoughtPosition;
  thinking: string;
  signature: string | undefined;
  readonly data: string | undefined;
}

function addDetail(thoughts: Thought[], detail: JsonObject): void {
  const { type, index, text, signature, data } = detail;
  const position = positionOfThought(detail);
  if (type === 'reasoning.encrypted' && typeof data === 'string') {
    thoughts.push({ index, position, thinking: '', signature: undefined, data });
  }
  if (type !== 'reasoning.text') return;
  const last = thoughts.at(-1);
  const isSame = last !== undefined && last.index === index && last.data === undefined && !last.signature;
  const thought = isSame ? last : { index, position, thinking: '', signature: undefined, data: undefined };
  if (!isSame) thoughts.push(thought);
  if (typeof text === 'string') thought.thinking += text;
  if (typeof signature === 'string') thought.signature = signature;
}

/** The API refuses a thought without its signature, so it is left out, as is one that a mark of ours stands at. */
function blockOf({ thinking, signature, data }: Thought): Block[] {
  if (data !== undefined) return [{ type: 'redacted_thinking', data }];
  return signature && !isMark(signature) ? [{ type: 'thinking', thinking, signature }] : [];
}
