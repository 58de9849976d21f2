import { inspect } from 'node:util';

/**
 * Hides the members of a credential, and freezes it: they can be read by name, but no listing, copy, JSON text or
 * printed form of the object shows them (interface section 2: a credential never appears in a dump of the process).
 */
export function hideMembers<T extends object>(secret: T): T {
  for (const name of Object.keys(secret)) Object.defineProperty(secret, name, { enumerable: false });
  for (const name of ['toJSON', 'toString', inspect.custom]) {
    Object.defineProperty(secret, name, { value: () => REDACTED, enumerable: false });
  }
  return Object.freeze(secret);
}

/** What stands for a credential wherever somebody tries to print it. */
export const REDACTED = '[credential]';
