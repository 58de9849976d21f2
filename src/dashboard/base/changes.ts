/**
 * The members of `after` that differ from `before`, as the paths of an update mask (spelled as in the proto), so that
 * an update writes only what its user has changed.
 */
export function changedPaths<T extends object>(before: T, after: T): string[] {
  return Object.entries(after)
    .filter(([name, value]) => !same(Object.entries(before).find(([key]) => key === name)?.[1], value))
    .map(([name]) => protoSpelling(name));
}

/** A text as a message field: an empty one is unset. */
export function textField(text: string): string | undefined {
  return text === '' ? undefined : text;
}

/** An amount of USD as typed, as a message field. A text that is no number becomes NaN, which the server refuses. */
export function usdField(text: string): number | undefined {
  return text.trim() === '' ? undefined : Number(text);
}

/** A list as a message field: null is an unset one, which restricts nothing. */
export function listField(values: readonly string[] | null): { values: string[] } | undefined {
  return values === null ? undefined : { values: [...values] };
}

function same(before: unknown, after: unknown): boolean {
  if (Array.isArray(before) && Array.isArray(after)) {
    return before.length === after.length && before.every((entry, index) => entry === after[index]);
  }
  return Object.is(before, after);
}

/** `limitReset` becomes `limit_reset`. */
export function protoSpelling(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
