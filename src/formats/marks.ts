/**
 * The gateway's own marks: reasoning of one family of models in a member that a client of another format carries back
 * unchanged, such as the `signature` of a thinking block. Never sent to a provider.
 */
import type { JsonObject } from './chat/types.js';
import { elements, isObject, parseJson } from './json.js';

const PREFIX = 'bw1.';

/** The mark that carries a chat's `reasoning_details`. */
export function markOf(details: readonly JsonObject[]): string {
  return PREFIX + Buffer.from(JSON.stringify(details)).toString('base64url');
}

export function isMark(value: unknown): value is string {
  return typeof value === 'string' && value.startsWith(PREFIX);
}

/** The `reasoning_details` that a mark carries; none where it was damaged on its way. */
export function detailsIn(mark: string): readonly JsonObject[] {
  return elements(parseJson(Buffer.from(mark.slice(PREFIX.length), 'base64url').toString())).filter(isObject);
}
