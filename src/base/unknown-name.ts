import { nearestNames } from './nearest.js';
import type { Violation } from './problem.js';

/** The violation of an unknown name, with the nearest known one; `kind` is a noun for the message. */
export function unknownName(field: string, kind: string, name: string, known: Iterable<string>): Violation {
  const [nearest] = nearestNames(name, known);
  const hint = nearest === undefined ? '' : `; did you mean ${nearest}?`;
  return { field, rule: 'known', message: `is not a known ${kind}${hint}` };
}
