import { nearestNames } from './nearest.js';
import type { Violation } from './problem.js';

/** The violation of a value that names nothing there is, with the nearest name that does; `kind` is one word. */
export function unknownName(field: string, kind: string, name: string, known: Iterable<string>): Violation {
  const [nearest] = nearestNames(name, known);
  const hint = nearest === undefined ? '' : `; did you mean ${nearest}?`;
  return { field, rule: 'known', message: `is not a known ${kind}${hint}` };
}
