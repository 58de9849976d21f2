/** Whether JSON is nested deeper than so many levels. */
export function exceedsDepth(json: unknown, levelsLeft: number): boolean {
  if (typeof json !== 'object' || json === null) return false;
  if (levelsLeft === 0) return true;
  if (Array.isArray(json)) {
    for (const element of json) if (exceedsDepth(element, levelsLeft - 1)) return true;
    return false;
  }
  for (const name in json) {
    if (exceedsDepth((json as Readonly<Record<string, unknown>>)[name], levelsLeft - 1)) return true;
  }
  return false;
}
