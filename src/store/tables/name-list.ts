import { sql } from 'kysely';

/** Reads the list in a `*_json` column; null = no restriction. */
export function storedNames(json: string | null): readonly string[] | null {
  if (json === null) return null;
  const value: unknown = JSON.parse(json);
  if (!Array.isArray(value)) throw new TypeError('a stored list of names is not an array');
  return value.map(String);
}

/** The text for a `*_json` column. */
export function namesJson(names: readonly string[] | null): string | null {
  return names === null ? null : JSON.stringify(names);
}

/** Rows of `byok_key` whose list names the workspace; an id, in quotes, is no part of another. */
export function isNaming(workspaceId: string) {
  const escaped = JSON.stringify(workspaceId).replace(/[\\%_]/g, '\\$&');
  return sql<boolean>`workspace_ids_json like ${`%${escaped}%`} escape '\\'`;
}
