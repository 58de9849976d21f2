/** In the order of first occurrence; null stays null. */
export function deduplicate(list: readonly string[] | null): readonly string[] | null {
  return list === null ? null : [...new Set(list)];
}
