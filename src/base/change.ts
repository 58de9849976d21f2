import { isDeepStrictEqual } from 'node:util';
import type { Violation } from './problem.js';

/**
 * What an update says about one field: omitted keeps it, null clears it, a value sets it. Decided once, where the
 * request is read. See `docs/adr/0013-presence-as-data.md`.
 */
export type Change<T> =
  | { readonly kind: 'keep' }
  | { readonly kind: 'clear' }
  | { readonly kind: 'set'; readonly value: T };

export const KEEP = { kind: 'keep' } as const;

export const CLEAR = { kind: 'clear' } as const;

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

/** For a field that can't be empty. Throws on `clear`, which validation must have rejected. */
export function applyRequired<T>(change: Change<T>, current: T): T {
  if (change.kind === 'clear') throw new TypeError('a required field cannot be cleared');
  return change.kind === 'set' ? change.value : current;
}

/** undefined when the update keeps or clears the field. */
export function sent<T>(change: Change<T>): T | undefined {
  return change.kind === 'set' ? change.value : undefined;
}

/** The violation of an update that clears a field which can't be empty. */
export function mustNotBeNull(field: string, change: Change<unknown>): Violation[] {
  return change.kind === 'clear' ? [{ field, rule: 'not_null', message: 'must not be null' }] : [];
}

export function mapChange<T, U>(change: Change<T>, convert: (value: T) => U): Change<U> {
  return change.kind === 'set' ? set(convert(change.value)) : change;
}

/** Replaces fields and `updatedAt`. Returns the same object when no value changes. */
export function withFields<R extends { readonly updatedAt: number }>(
  current: R,
  fields: Partial<R>,
  now: number,
): R {
  const next = { ...current, ...fields };
  return isDeepStrictEqual(next, current) ? current : { ...next, updatedAt: now };
}
