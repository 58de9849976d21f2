import { isUtf8 } from 'node:buffer';
import type { JsonValue } from '@bufbuild/protobuf';
import { Plane } from '../../gen/byway/options/v1/options_pb.js';
import { readJson } from '../base/json/bounded/read-json.js';
import { INFERENCE_LIMITS, type StructureLimits } from '../base/json/bounded/structure.js';
import { hasSurrogateEscape, wellFormedJson } from '../base/json/well-formed.js';
import { invalid, Problem } from '../base/problem.js';
import { runInSlices } from '../base/time-slices.js';
import { utf8MediaType } from './media-type.js';
import { refuseRepeatedMembers } from './repeated-members.js';

const MIB = 1024 * 1024;

/** Bodies larger than this are read with more work and less memory. */
export const LARGE_BYTES = 4 * MIB;

/** Max bytes of a body, compressed or not, by traffic class. */
export function bodyLimitBytes(plane: Plane): number {
  if (plane === Plane.INFERENCE || plane === Plane.BATCHES) return 32 * MIB;
  return plane === Plane.ADMINISTRATION ? MIB : MAX_LISTING_BYTES;
}

/** For calls that may need no credential: none of them has more than a few short members. */
const MAX_LISTING_BYTES = 16 * 1024;

/** Enough for the longest lists that administration takes. */
const ADMINISTRATION_LIMITS: StructureLimits = { containers: 10_000, values: 50_000, names: 10_000 };

/** Requests that need no credential have a handful of plain members. */
const LISTING_LIMITS: StructureLimits = { containers: 100, values: 1_000, names: 100 };

/** For a batch without the contents of its requests, each of which is limited as a chat is. */
const BATCH_LIMITS: StructureLimits = { containers: 100, values: 51_000, names: 100 };

/** How much structure a request may have, by traffic class. */
export function structureLimits(plane: Plane): StructureLimits {
  switch (plane) {
    case Plane.INFERENCE:
      return INFERENCE_LIMITS;
    case Plane.BATCHES:
      return BATCH_LIMITS;
    case Plane.ADMINISTRATION:
      return ADMINISTRATION_LIMITS;
    default:
      return LISTING_LIMITS;
  }
}

/**
 * The limits on each element of a body's lists where these are read lazily, on each access: the messages of all
 * requests of a batch at once would take twenty times the memory of their bytes. Undefined where bodies are read at
 * once.
 */
export function elementLimits(plane: Plane): StructureLimits | undefined {
  return plane === Plane.BATCHES ? INFERENCE_LIMITS : undefined;
}

/**
 * Whether a repeated member of an object is refused. Chats are the caller's content, which providers take as it is,
 * and too large to be scanned twice.
 */
export function refusesRepeated(plane: Plane): boolean {
  return plane !== Plane.INFERENCE && plane !== Plane.BATCHES;
}

/** Whether the content type is JSON in UTF-8, the only one that REST accepts. */
export function isJsonContentType(contentType: string): boolean {
  return contentType === 'application/json' || utf8MediaType(contentType) === 'application/json';
}

/**
 * Parses a body, yielding to other work; undefined for an empty one. Rejects with a Problem that repeats nothing of
 * the body when it is not JSON, has more structure than its traffic class allows, or has repeated members where these
 * are refused. With `elementLimits` the lists read from the bytes on each access, and throw a SyntaxError then.
 */
export async function parseJsonBody(bytes: Buffer, plane: Plane): Promise<JsonValue | undefined> {
  if (bytes.length === 0) return undefined;
  if (!isUtf8(bytes)) throw brokenBody('json', 'The body is not UTF-8');
  try {
    const reading = {
      limits: structureLimits(plane),
      elementLimits: elementLimits(plane),
      // Chats are passed on as they are.
      hasExactIntegers: plane === Plane.INFERENCE,
    };
    const json = await runInSlices(readJson(bytes, reading));
    if (refusesRepeated(plane)) refuseRepeatedMembers(bytes);
    // Clients cut texts by code units; providers would refuse what is left.
    const isCut = plane === Plane.INFERENCE && hasSurrogateEscape(bytes);
    return isCut ? wellFormedJson(json) : json;
  } catch (thrown) {
    if (thrown instanceof Problem) throw thrown;
    throw brokenBody('json', 'The body is not valid JSON');
  }
}

/** A 400 for the body as a whole, whose path is empty. */
export function brokenBody(rule: string, message: string): Problem {
  return invalid([{ field: '', rule, message }]);
}
