import type { JsonObject } from '../../../formats/chat/types.js';
import { isObject } from '../../../formats/json.js';

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

/** The blocks of a message. The message's own `cache_control` goes to its last block, unless that has one. */
export function withCacheControl(blocks: Block[], message: JsonObject): Block[] {
  const last = blocks.at(-1);
  if (last === undefined || last.type.endsWith('thinking')) return blocks;
  return [...blocks.slice(0, -1), { ...cacheControlOf(message), ...last }];
}

/** Drops blank texts, which the API refuses. */
export function withoutBlankTexts(blocks: readonly Block[]): Block[] {
  return blocks.filter(
    ({ type, text }) => type !== 'text' || (typeof text === 'string' && text.trim() !== ''),
  );
}
