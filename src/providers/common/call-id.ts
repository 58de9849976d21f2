import { sha256Hex } from '../../base/ids.js';

/** Longer than the ids of any provider. */
const MAX_CHARACTERS = 256;

/**
 * The id of a call as hosts take it that know only letters, digits, `_` and `-`: any other character is `_`. A very long
 * one is its hash. Never empty.
 */
export function plainCallId(id: unknown): string {
  const text = String(id ?? '');
  if (text.length > MAX_CHARACTERS) return sha256Hex(text);
  return text.replaceAll(/[^a-zA-Z0-9_-]/g, '_') || '_';
}
