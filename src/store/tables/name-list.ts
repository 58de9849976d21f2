/** Reads the list in a `*_json` column; null = no restriction. */
export function namesOf(json: string | null): readonly string[] | null {
  if (json === null) return null;
  const value: unknown = JSON.parse(json);
  if (!Array.isArray(value)) throw new TypeError('a stored list of names is not an array');
  return value.map(String);
}

/** The text for a `*_json` column. */
export function namesJson(names: readonly string[] | null): string | null {
  return names === null ? null : JSON.stringify(names);
}
