/** Reads variables that are lists. Each reader throws ConfigError for an invalid entry. */
import { ConfigError } from './error.js';

/**
 * `BYWAY_CORS_ORIGINS`. Origins are compared as texts, so each must be spelled as browsers do: lower case, no path,
 * no default port.
 */
export function readOrigins(entries: readonly string[]): Set<string> {
  if (!(entries.length === 1 && entries[0] === '*') && !entries.every(isOrigin)) {
    throw new ConfigError(
      'BYWAY_CORS_ORIGINS must be * or a list of origins such as https://app.example.com, separated by commas',
    );
  }
  return new Set(entries);
}

function isOrigin(entry: string): boolean {
  return /^https?:[^*]*$/.test(entry) && URL.canParse(entry) && new URL(entry).origin === entry;
}

/** `BYWAY_FIELD_ALIASES`: the further names of each member. */
export function readAliases(entries: readonly string[]): Map<string, string[]> {
  const aliases = new Map<string, string[]>();
  const seen = new Set<string>();
  for (const entry of entries) {
    const match = /^([a-z][a-z0-9_]{0,63})=([A-Za-z][A-Za-z0-9_]{0,63})$/.exec(entry);
    if (match?.[1] === undefined || match[2] === undefined) {
      throw new ConfigError('BYWAY_FIELD_ALIASES must be a list of MEMBER=NAME, separated by commas');
    }
    if (seen.has(match[2])) throw new ConfigError(`BYWAY_FIELD_ALIASES has the name ${match[2]} twice`);
    seen.add(match[2]);
    aliases.set(match[1], [...(aliases.get(match[1]) ?? []), match[2]]);
  }
  return aliases;
}
