import type { JsonValue } from '../json-value.js';

/** Max nesting of free-form JSON: more than any tool schema needs, and far from what exhausts the stack. */
export const MAX_DEPTH = 64;

/** Whether free-form JSON is nested deeper than so many levels. */
export function exceedsDepth(json: JsonValue, levelsLeft: number): boolean {
  if (json === null || typeof json !== 'object') return false;
  if (levelsLeft === 0) return true;
  for (const item of Object.values(json)) if (exceedsDepth(item, levelsLeft - 1)) return true;
  return false;
}
