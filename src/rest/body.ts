import { isUtf8 } from 'node:buffer';
import type { JsonValue } from '@bufbuild/protobuf';
import { Plane } from '../../gen/byway/options/v1/options_pb.js';
import { LARGE_BYTES } from '../base/collect-garbage.js';
import { invalid, type Problem } from '../base/problem.js';
import { parseLargeJson } from './parse-large.js';

const MIB = 1024 * 1024;

/** Most bytes of a body, by the kind of traffic (interface section 3). */
export function bodyLimitBytes(plane: Plane): number {
  return plane === Plane.INFERENCE || plane === Plane.BATCHES ? 32 * MIB : MIB;
}

const JSON_TYPE = /^application\/json[ \t]*(?:;[ \t]*charset[ \t]*=[ \t]*"?utf-8"?[ \t]*)?;?[ \t]*$/i;

/** Whether the content type is JSON in UTF-8, the only one that the REST door takes. */
export function isJsonContentType(contentType: string): boolean {
  return JSON_TYPE.test(contentType);
}

/** Parses a body; undefined for an empty one. Throws a Problem that repeats nothing of a body that is not JSON. */
export function parseJsonBody(bytes: Buffer): JsonValue | undefined {
  if (bytes.length === 0) return undefined;
  if (!isUtf8(bytes)) throw brokenBody('json', 'The body is not UTF-8');
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
