import { inspect } from 'node:util';

/** Printed in place of a credential. */
export const REDACTED = '[credential]';

/** What credentials inherit. */
const HIDDEN: object = Object.freeze(
  Object.create(
    null,
    Object.fromEntries(
      ['toJSON', 'toString', inspect.custom].map((name) => [name, { value: () => REDACTED }]),
    ),
  ),
);

/**
 * A frozen credential that hides its members: they can be read by name, but do not appear when the object is
 * enumerated, copied, serialised or printed. The members are added one by one, and what all credentials share is
 * inherited, so that all credentials of a kind have one shape: there may be thousands in memory.
 */
export function hideMembers<T extends object>(secret: T): T {
  const hidden: T = Object.create(HIDDEN);
  for (const [name, value] of Object.entries(secret)) Object.defineProperty(hidden, name, { value });
  return Object.freeze(hidden);
}
