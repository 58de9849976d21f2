/** Pieces of messages as Converse has them: objects with one member, which says what they are. */
import type { JsonObject } from '../../formats/chat/types.js';
import { UpstreamFailure } from '../../inference/attempts/failure.js';
import { isObject } from '../http/json.js';

/** A piece of a message. */
export type Block = JsonObject;

/** A text; one that says nothing is refused, so it is no block. */
export function textBlocks(text: string | undefined): Block[] {
  return text === undefined || text.trim() === '' ? [] : [{ text }];
}

/** The mark that the prompt is to be cached up to here, where the part bears one. */
export function cachePoints({ cache_control }: JsonObject): Block[] {
  if (!isObject(cache_control)) return [];
  return [{ cachePoint: { type: 'default', ...(cache_control.ttl === '1h' && { ttl: '1h' }) } }];
}

/** The refusal of something that Converse cannot be sent: an answer without it would be an answer to something else. */
export function unsupported(what: string): UpstreamFailure {
  return new UpstreamFailure(`Amazon Bedrock does not take ${what}`, { kind: 'invalid_request' });
}
