import { sha256Hex } from '../../../base/ids.js';

/** Source: the Open Responses schema, `FunctionCallItemParam.call_id` (2026-04-24). */
const MAX_CHARACTERS = 64;
const HASH_DIGITS = 32;

/** The id in a length that every client takes. The same id always gets the same one. */
export function fittingCallId(id: string): string {
  return id.length <= MAX_CHARACTERS ? id : `call_${sha256Hex(id).slice(0, HASH_DIGITS)}`;
}
