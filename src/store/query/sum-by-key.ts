/**
 * Rows of one key added up to one, since an insert can't update a row twice: `add` changes its first argument, a copy. A
 * single row is returned as it is.
 */
export function sumByKey<R extends object>(
  rows: readonly R[],
  keyOf: (row: R) => string,
  add: (sum: R, row: R) => void,
): readonly R[] {
  if (rows.length === 1) return rows;
  const sums = new Map<string, R>();
  for (const row of rows) {
    const key = keyOf(row);
    const sum = sums.get(key);
    if (sum === undefined) sums.set(key, { ...row });
    else add(sum, row);
  }
  return [...sums.values()];
}

/** The columns of a key as one text. */
export function keyText<R>(columns: readonly (keyof R)[]): (row: R) => string {
  return (row) => columns.map((name) => row[name]).join('\n');
}
