/** The list as it is stored: each entry once, in the order sent; null stays null. */
export function deduplicate(list: readonly string[] | null): readonly string[] | null {
  return list === null ? null : [...new Set(list)];
}
