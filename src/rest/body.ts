import { isUtf8 } from 'node:buffer';
import type { JsonValue } from '@bufbuild/protobuf';
import { Plane } from '../../gen/byway/options/v1/options_pb.js';
import { LARGE_BYTES } from '../base/collect-garbage.js';
import { invalid, type Problem } from '../base/problem.js';
import { exceedsStructure } from './count-structure.js';
import { parseLargeJson } from './parse-large.js';

const MIB = 1024 * 1024;

/** Most bytes of a body, by the kind of traffic (interface section 3). */
export function bodyLimitBytes(plane: Plane): number {
  return plane === Plane.INFERENCE || plane === Plane.BATCHES ? 32 * MIB : MIB;
}

/**
 * Most objects and lists in the body of a chat: room for 10,000 messages of many parts and tools of large schemas. A
 * body of the size limit could hold millions, each of which costs more than its bytes. Batches are many chats.
 */
const MAX_CHAT_STRUCTURE = 500_000;

const JSON_TYPE = /^application\/json[ \t]*(?:;[ \t]*charset[ \t]*=[ \t]*"?utf-8"?[ \t]*)?;?[ \t]*$/i;

/** Whether the content type is JSON in UTF-8, the only one that the REST door takes. */
export function isJsonContentType(contentType: string): boolean {
  return JSON_TYPE.test(contentType);
}

/**
 * Parses a body; undefined for an empty one. Throws a Problem that repeats nothing of a body that is not JSON, or has
 * more structure than its kind of traffic may.
 */
export function parseJsonBody(bytes: Buffer, plane: Plane): JsonValue | undefined {
  if (bytes.length === 0) return undefined;
  if (!isUtf8(bytes)) throw brokenBody('json', 'The body is not UTF-8');
  if (plane === Plane.INFERENCE && exceedsStructure(bytes, MAX_CHAT_STRUCTURE))
    throw brokenBody('count', `The body has more than ${MAX_CHAT_STRUCTURE} objects and lists`);
  try {
    return bytes.length > LARGE_BYTES ? parseLargeJson(bytes) : JSON.parse(bytes.toString('utf8'));
  } catch {
    throw brokenBody('json', 'The body is not valid JSON');
  }
}

/** A 400 for the body as a whole, whose path is empty. */
export function brokenBody(rule: string, message: string): Problem {
  return invalid([{ field: '', rule, message }]);
}
