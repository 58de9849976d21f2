import { isUtf8 } from 'node:buffer';
import type { JsonValue } from '@bufbuild/protobuf';
import { Plane } from '../../gen/byway/options/v1/options_pb.js';
import { lazyList } from '../base/lazy-list.js';
import { invalid, type Problem } from '../base/problem.js';
import { exceedsStructure } from './count-structure.js';
import { type ListMaker, parseLargeJson } from './parse-large.js';
import { refuseRepeatedMembers } from './repeated-members.js';

const MIB = 1024 * 1024;

/** From this size on, a body is worth more work for less memory. */
export const LARGE_BYTES = 4 * MIB;

/** Most bytes of a body, by the kind of traffic (interface section 3). */
export function bodyLimitBytes(plane: Plane): number {
  return plane === Plane.INFERENCE || plane === Plane.BATCHES ? 32 * MIB : MIB;
}

/**
 * Most objects and lists in the body of a chat: room for 10,000 messages of many parts and tools of large schemas. A
 * body of the size limit could hold millions, each of which costs more than its bytes. Batches are many chats.
 */
export const MAX_CHAT_STRUCTURE = 500_000;

/**
 * Whether lists in large bodies are left as bytes, and each of their items read whenever it is asked for: a batch may
 * have half a million requests, whose messages would take twenty times the memory of their bytes.
 */
export function readsLazily(plane: Plane): boolean {
  return plane === Plane.BATCHES;
}

/**
 * Whether a member may stand only once in its object. Chats are the caller's content, which providers take as it is, and
 * too large to be looked at twice.
 */
export function refusesRepeated(plane: Plane): boolean {
  return plane !== Plane.INFERENCE && plane !== Plane.BATCHES;
}

const JSON_TYPE = /^application\/json[ \t]*(?:;[ \t]*charset[ \t]*=[ \t]*"?utf-8"?[ \t]*)?;?[ \t]*$/i;

/** Whether the content type is JSON in UTF-8, the only one that the REST door takes. */
export function isJsonContentType(contentType: string): boolean {
  return JSON_TYPE.test(contentType);
}

/**
 * Parses a body; undefined for an empty one. Throws a Problem that repeats nothing of a body that is not JSON, has
 * more structure than its kind of traffic may, or members that stand twice where its kind may have none. Where the plane `readsLazily`, the lists of a large one need its bytes
 * for as long as they are read, and throw that Problem then.
 */
export function parseJsonBody(bytes: Buffer, plane: Plane): JsonValue | undefined {
  if (bytes.length === 0) return undefined;
  if (!isUtf8(bytes)) throw brokenBody('json', 'The body is not UTF-8');
  if (plane === Plane.INFERENCE && exceedsStructure(bytes, MAX_CHAT_STRUCTURE))
    throw brokenBody('count', `The body has more than ${MAX_CHAT_STRUCTURE} objects and lists`);
  const json = orNotJson(() => {
    if (bytes.length <= LARGE_BYTES) return JSON.parse(bytes.toString('utf8'));
    return readsLazily(plane) ? parseLargeJson(bytes, lazyElements) : parseLargeJson(bytes);
  });
  if (refusesRepeated(plane)) refuseRepeatedMembers(bytes);
  return json;
}

const lazyElements: ListMaker = (length, element) =>
  lazyList(length, (index) => orNotJson(() => element(index)));

function orNotJson(parse: () => JsonValue): JsonValue {
  try {
    return parse();
  } catch {
    throw brokenBody('json', 'The body is not valid JSON');
  }
}

/** A 400 for the body as a whole, whose path is empty. */
export function brokenBody(rule: string, message: string): Problem {
  return invalid([{ field: '', rule, message }]);
}
