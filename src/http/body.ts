import { isUtf8 } from 'node:buffer';
import type { JsonValue } from '@bufbuild/protobuf';
import { Plane } from '../../gen/byway/options/v1/options_pb.js';
import { invalid, Problem } from '../base/problem.js';
import { runInSlices } from '../base/time-slices.js';
import { readJson } from '../protobuf/bounded/read-json.js';
import type { StructureBounds } from '../protobuf/bounded/structure.js';
import { utf8MediaType } from './media-type.js';
import { refuseRepeatedMembers } from './repeated-members.js';

const MIB = 1024 * 1024;

/** From this size on, a body is worth more work for less memory. */
export const LARGE_BYTES = 4 * MIB;

/** Most bytes of a body, compressed or not, by the kind of traffic. */
export function bodyLimitBytes(plane: Plane): number {
  if (plane === Plane.INFERENCE || plane === Plane.BATCHES) return 32 * MIB;
  return plane === Plane.ADMINISTRATION ? MIB : MAX_LISTING_BYTES;
}

/** Largest body of a call that may need no credential: no such request has more than a few short members. */
const MAX_LISTING_BYTES = 16 * 1024;

/**
 * Room for a conversation of 10,000 messages with their parts and calls, and for tools of large schemas. What is made of
 * each object, list and member costs many times its bytes: a body of the size limit could hold sixteen million. The
 * names are those of all schemas together.
 */
const INFERENCE_BOUNDS: StructureBounds = { containers: 50_000, values: 200_000, names: 10_000 };

/** Room for the longest lists that may be administered. */
const ADMINISTRATION_BOUNDS: StructureBounds = { containers: 10_000, values: 50_000, names: 10_000 };

/** What needs no credential has a handful of plain members. */
const LISTING_BOUNDS: StructureBounds = { containers: 100, values: 1_000, names: 100 };

/** Of a batch without what stands in its requests, each of which is bounded as a chat is. */
const BATCH_BOUNDS: StructureBounds = { containers: 100, values: 51_000, names: 100 };

/** How much structure a request may have, by the kind of traffic. */
export function structureBounds(plane: Plane): StructureBounds {
  switch (plane) {
    case Plane.INFERENCE:
      return INFERENCE_BOUNDS;
    case Plane.BATCHES:
      return BATCH_BOUNDS;
    case Plane.ADMINISTRATION:
      return ADMINISTRATION_BOUNDS;
    default:
      return LISTING_BOUNDS;
  }
}

/**
 * The bounds on each element of the lists in a body that are left as bytes, and read whenever they are asked for:
 * the messages of all requests of a batch at once would take twenty times the memory of their bytes. Undefined where
 * bodies are read whole.
 */
export function elementBounds(plane: Plane): StructureBounds | undefined {
  return plane === Plane.BATCHES ? INFERENCE_BOUNDS : undefined;
}

/**
 * Whether a member may stand only once in its object. Chats are the caller's content, which providers take as it is, and
 * too large to be looked at twice.
 */
export function refusesRepeated(plane: Plane): boolean {
  return plane !== Plane.INFERENCE && plane !== Plane.BATCHES;
}

/** Whether the content type is JSON in UTF-8, the only one that the REST door takes. */
export function isJsonContentType(contentType: string): boolean {
  return contentType === 'application/json' || utf8MediaType(contentType) === 'application/json';
}

/**
 * Parses a body, letting others have their turn; undefined for an empty one. Rejects with a Problem that repeats nothing
 * of a body that is not JSON, has more structure than its kind of traffic may, or members
 * that stand twice where its kind may have none. Where there are `elementBounds`, the
 * lists need its bytes for as long as they are read, and throw a SyntaxError then.
 */
export async function parseJsonBody(bytes: Buffer, plane: Plane): Promise<JsonValue | undefined> {
  if (bytes.length === 0) return undefined;
  if (!isUtf8(bytes)) throw brokenBody('json', 'The body is not UTF-8');
  try {
    const reading = { bounds: structureBounds(plane), elementBounds: elementBounds(plane) };
    const json = await runInSlices(readJson(bytes, reading));
    if (refusesRepeated(plane)) refuseRepeatedMembers(bytes);
    return json;
  } catch (thrown) {
    if (thrown instanceof Problem) throw thrown;
    throw brokenBody('json', 'The body is not valid JSON');
  }
}

/** A 400 for the body as a whole, whose path is empty. */
export function brokenBody(rule: string, message: string): Problem {
  return invalid([{ field: '', rule, message }]);
}
