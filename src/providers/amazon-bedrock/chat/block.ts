/** Converse's content blocks: objects with one member, whose name is the kind of block. */
import type { JsonObject } from '../../../formats/chat/types.js';
import { isObject } from '../../../formats/json.js';
import { UpstreamFailure } from '../../../inference/ports/failure.js';

export type Block = JsonObject;

/** A text block; none for blank text, which Converse refuses. */
export function textBlocks(text: string | undefined): Block[] {
  return text === undefined || text.trim() === '' ? [] : [{ text }];
}

/** The cache point that the part's `cache_control` asks for. */
export function cachePoints({ cache_control }: JsonObject): Block[] {
  if (!isObject(cache_control)) return [];
  return [{ cachePoint: { type: 'default', ...(cache_control.ttl === '1h' && { ttl: '1h' }) } }];
}

/**
 * Fails the attempt for content that Converse does not take. Without the content the answer would be to another
 * question.
 */
export function unsupported(what: string): UpstreamFailure {
  return new UpstreamFailure(`Amazon Bedrock does not take ${what}`, { kind: 'invalid_request' });
}
