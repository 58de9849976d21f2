import type { JsonObject } from '../../formats/chat/types.js';
import { isObject } from '../http/json.js';

/** A content block of the Messages API. */
export interface Block extends JsonObject {
  readonly type: string;
}

export function isBlock(value: unknown): value is Block {
  return isObject(value) && typeof value.type === 'string';
}

export function textBlock(text: string, source: JsonObject = {}): Block {
  return { type: 'text', text, ...cacheControlOf(source) };
}

/** The part's `cache_control`. */
export function cacheControlOf({ cache_control }: JsonObject): JsonObject {
  return isObject(cache_control) ? { cache_control } : {};
}

/** Drops blank texts, which the API refuses. */
export function withoutBlankTexts(blocks: readonly Block[]): Block[] {
  return blocks.filter(
    ({ type, text }) => type !== 'text' || (typeof text === 'string' && text.trim() !== ''),
  );
}
