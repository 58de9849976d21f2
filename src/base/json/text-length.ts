/** The characters of all texts in a value, which are nearly all that a large one takes in memory. */
export function textLength(value: unknown): number {
  let length = 0;
  const pending: unknown[] = [value];
  while (pending.length > 0) {
    const next = pending.pop();
    if (typeof next === 'string') length += next.length;
    else if (typeof next === 'object' && next !== null)
      for (const part of Object.values(next)) pending.push(part);
  }
  return length;
}
