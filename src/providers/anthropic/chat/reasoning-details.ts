/**
 * A model's thoughts in `reasoning_details`, with the signatures that must be sent back unchanged when the conversation
 * continues, especially after tool calls. The plain text is in `reasoning`.
 */
import type { ChatMessage, JsonObject } from '../../../formats/chat/types.js';
import { elements, isObject } from '../../../formats/json.js';
import type { Block } from './block.js';

/** Distinguishes these signatures from those of other models. */
const FORMAT = 'anthropic-claude-v1';

/** The detail of a readable thought: text, signature or both. Pieces of one thought share an `index`. */
export function textDetail(
  index: number,
  content: { readonly text?: string; readonly signature?: string },
): JsonObject {
  return { type: 'reasoning.text', ...content, format: FORMAT, index };
}

/** The detail of a redacted thought. */
export function encryptedDetail(index: number, data: string): JsonObject {
  return { type: 'reasoning.encrypted', data, format: FORMAT, index };
}

/** The blocks for a message's details, which may be whole or pieces of a stream. */
export function thinkingBlocks({ reasoning_details }: ChatMessage): Block[] {
  const thoughts: Thought[] = [];
  for (const detail of elements(reasoning_details)) {
    if (isObject(detail) && (detail.format ?? FORMAT) === FORMAT) addDetail(thoughts, detail);
  }
  return thoughts.flatMap(blockOf);
}

/** A thought that is being assembled. */
interface Thought {
  readonly index: unknown;
  thinking: string;
  signature: string | undefined;
  readonly data: string | undefined;
}

function addDetail(thoughts: Thought[], { type, index, text, signature, data }: JsonObject): void {
  if (type === 'reasoning.encrypted' && typeof data === 'string') {
    thoughts.push({ index, thinking: '', signature: undefined, data });
  }
  if (type !== 'reasoning.text') return;
  const last = thoughts.at(-1);
  const isSame = last !== undefined && last.index === index && last.data === undefined && !last.signature;
  const thought = isSame ? last : { index, thinking: '', signature: undefined, data: undefined };
  if (!isSame) thoughts.push(thought);
  if (typeof text === 'string') thought.thinking += text;
  if (typeof signature === 'string') thought.signature = signature;
}

/** The API refuses a thought without its signature, so it is left out. */
function blockOf({ thinking, signature, data }: Thought): Block[] {
  if (data !== undefined) return [{ type: 'redacted_thinking', data }];
  return signature ? [{ type: 'thinking', thinking, signature }] : [];
}
