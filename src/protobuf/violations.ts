import { nearestNames } from '../base/nearest.js';
import type { Violation } from '../base/problem.js';

/** Most violations that one answer lists: a hostile body of a million unknown members must not cost more than that. */
export const MAX_VIOLATIONS = 100;

/** Longest name of a caller's own that is repeated to the caller. */
const MAX_NAME_LENGTH = 128;

/** Collects all faults of one request, up to `MAX_VIOLATIONS`. */
export class ViolationList {
  readonly violations: Violation[] = [];
  readonly #postponed: Generator<void, void>[] = [];

  /** Nothing more is listed. */
  get full(): boolean {
    return this.violations.length >= MAX_VIOLATIONS;
  }

  /** Notes a fault. Always undefined, so that readers can return it as the value they could not read. */
  add(field: string, rule: string, message: string): undefined {
    if (!this.full) this.violations.push({ field, rule, message });
  }

  /** Leaves work for `finish`, which may find faults too; it yields where it may be interrupted. */
  postpone(work: Generator<void, void>): void {
    this.#postponed.push(work);
  }

  /** Does what was left, unless nothing more is listed. */
  *finish(): Generator<void, void> {
    for (let next = this.#postponed.shift(); next !== undefined; next = this.#postponed.shift()) yield* next;
  }

  /** Notes a name that is not among the known ones, with the nearest of them. */
  unknown(kind: 'member' | 'parameter', path: string, name: string, known: Iterable<string>): undefined {
    if (this.full) return;
    const [nearest] = nearestNames(name, known);
    const hint = nearest === undefined ? '' : `; did you mean ${nearest}?`;
    this.add(memberPath(path, shownName(name)), 'unknown', `unknown ${kind}${hint}`);
  }
}

/** A name of a caller's own as it is repeated to the caller. */
export function shownName(name: string): string {
  return name.length > MAX_NAME_LENGTH ? `${name.slice(0, MAX_NAME_LENGTH)}...` : name;
}

/** The path of a member of the value at `path`; an empty path is the body itself. */
export function memberPath(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}
