/** Definitions of a schema in place of the references to them, for hosts that have neither. */
import type { JsonObject } from '../../../formats/chat/types.js';
import { changedBelow, referred } from './json-schema.js';

/** Schemas that are looked at where definitions are put in place, so that what refers to itself in many places ends. */
const MAX_PLACING = 2_000;

/** Definitions within definitions that are put in place. */
const MAX_PLACED_DEPTH = 8;

/**
 * The schema with what references point to in their place. Those beyond the bounds, as of what refers to itself, admit
 * anything: then it is not complete.
 */
export function withDefinitions(
  schema: JsonObject,
  root: JsonObject,
): { readonly placed: JsonObject; readonly isComplete: boolean } {
  let left = MAX_PLACING;
  let isComplete = true;
  const placed = (one: JsonObject, depth: number): JsonObject =>
    changedBelow(one, (inner) => {
      left -= 1;
      if (inner.$ref === undefined) return inner;
      const { $ref, ...beside } = inner;
      const target = left >= 0 && depth < MAX_PLACED_DEPTH ? referred(inner, root) : undefined;
      if (target === undefined) isComplete = false;
      return { ...(target && placed(target, depth + 1)), ...beside };
    });
  return { placed: placed(schema, 0), isComplete };
}
