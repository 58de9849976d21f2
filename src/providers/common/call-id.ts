import { sha256Hex } from '../../base/ids.js';

/** Longer than any provider's ids. */
const MAX_CHARACTERS = 256;

/**
 * The id of a call for hosts that accept only letters, digits, `_` and `-`. Other characters become `_`, and a very
 * long id becomes its hash. Never empty.
 */
export function plainCallId(id: unknown): string {
  const text = String(id ?? '');
  if (text.length > MAX_CHARACTERS) return sha256Hex(text);
  return text.replaceAll(/[^a-zA-Z0-9_-]/g, '_') || '_';
}
