import type { JsonValue } from '@bufbuild/protobuf';
import type { ViolationList } from '../violations.js';

/** Max nesting of free-form JSON: more than any tool schema needs, and far from what exhausts the stack. */
export const MAX_DEPTH = 64;

/** Adds a violation for free-form JSON that is nested too deeply; true when it is not. */
export function checkDepth(json: JsonValue, path: string, violations: ViolationList): boolean {
  if (!exceedsDepth(json, MAX_DEPTH)) return true;
  violations.add(path, 'depth', `must not be nested deeper than ${MAX_DEPTH} levels`);
  return false;
}

/** Whether free-form JSON is nested deeper than so many levels. */
export function exceedsDepth(json: JsonValue, levelsLeft: number): boolean {
  if (json === null || typeof json !== 'object') return false;
  if (levelsLeft === 0) return true;
  for (const item of Object.values(json)) if (exceedsDepth(item, levelsLeft - 1)) return true;
  return false;
}
