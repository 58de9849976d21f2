import type { Violation } from './problem.js';

/**
 * Presence as data: what an update says of one field. Omitted keeps it, null clears it, a value sets it
 * (spec 4.4). It is decided once, at the border, and never guessed again.
 */
export type Change<T> =
  | { readonly kind: 'keep' }
  | { readonly kind: 'clear' }
  | { readonly kind: 'set'; readonly value: T };

/** An update that leaves the field as it is. */
export const KEEP = { kind: 'keep' } as const;

/** An update that removes the field's value. */
export const CLEAR = { kind: 'clear' } as const;

/** An update that replaces the field's value. */
export function set<T>(value: T): Change<T> {
  return { kind: 'set', value };
}

/** The field's value after the change; `null` stands for no value. */
export function applyChange<T>(change: Change<T>, current: T | null): T | null {
  switch (change.kind) {
    case 'keep':
      return current;
    case 'clear':
      return null;
    case 'set':
      return change.value;
  }
}

/** For a field that can't be empty: its value after the change. A `clear` is the border's mistake and throws. */
export function applyRequired<T>(change: Change<T>, current: T): T {
  if (change.kind === 'clear') throw new TypeError('a required field cannot be cleared');
  return change.kind === 'set' ? change.value : current;
}

/** The value that an update sets; undefined when it keeps or clears. */
export function sent<T>(change: Change<T>): T | undefined {
  return change.kind === 'set' ? change.value : undefined;
}

/** The broken rule of an update that clears a field which can't be empty. */
export function mustNotBeNull(field: string, change: Change<unknown>): Violation[] {
  return change.kind === 'clear' ? [{ field, rule: 'not_null', message: 'must not be null' }] : [];
}

/** The same change of a value in another form. */
export function mapChange<T, U>(change: Change<T>, convert: (value: T) => U): Change<U> {
  return change.kind === 'set' ? set(convert(change.value)) : change;
}
