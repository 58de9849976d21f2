import { inspect } from 'node:util';

/**
 * Freezes a credential and hides its members: they can be read by name, but do not appear when the object is enumerated,
 * copied, serialised or printed.
 */
export function hideMembers<T extends object>(secret: T): T {
  for (const name of Object.keys(secret)) Object.defineProperty(secret, name, { enumerable: false });
  for (const name of ['toJSON', 'toString', inspect.custom]) {
    Object.defineProperty(secret, name, { value: () => REDACTED, enumerable: false });
  }
  return Object.freeze(secret);
}

/** Printed in place of a credential. */
export const REDACTED = '[credential]';
