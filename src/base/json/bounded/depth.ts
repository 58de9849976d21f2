/** Max nesting of free-form JSON: more than any tool schema needs, and far from what exhausts the stack. */
export const MAX_DEPTH = 64;

/** Whether JSON is nested deeper than so many levels. */
export function exceedsDepth(json: unknown, levelsLeft: number): boolean {
  if (typeof json !== 'object' || json === null) return false;
  if (levelsLeft === 0) return true;
  for (const item of Object.values(json)) if (exceedsDepth(item, levelsLeft - 1)) return true;
  return false;
}
