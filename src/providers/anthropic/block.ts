import type { JsonObject } from '../../formats/chat/types.js';
import { isObject } from '../http/json.js';

/** A piece of a message as Anthropic's Messages API has it. */
export interface Block extends JsonObject {
  readonly type: string;
}

/** A block of text. */
export function textBlock(text: string, source: JsonObject = {}): Block {
  return { type: 'text', text, ...cacheControlOf(source) };
}

/** The mark that a prompt is to be cached up to here, where the part bears one. */
export function cacheControlOf({ cache_control }: JsonObject): JsonObject {
  return isObject(cache_control) ? { cache_control } : {};
}

/** Blocks without texts that say nothing, which the API refuses. */
export function withoutBlankTexts(blocks: readonly Block[]): Block[] {
  return blocks.filter(
    ({ type, text }) => type !== 'text' || (typeof text === 'string' && text.trim() !== ''),
  );
}
