import { nearestNames } from '../base/nearest.js';
import type { Violation } from '../base/problem.js';

/** Max violations in one answer: a hostile body of a million unknown members must not cost more than that. */
export const MAX_VIOLATIONS = 100;

/** Characters of an unknown name that are repeated to the caller. */
const MAX_NAME_LENGTH = 128;

/** Collects the violations of one request, up to `MAX_VIOLATIONS`. */
export class ViolationList {
  readonly violations: Violation[] = [];
  readonly #postponed: Generator<void, void>[] = [];

  /** Whether no more violations are added. */
  get full(): boolean {
    return this.violations.length >= MAX_VIOLATIONS;
  }

  /** Adds a violation. Always undefined, so that readers can return it as the value that they could not read. */
  add(field: string, rule: string, message: string): undefined {
    if (!this.full) this.violations.push({ field, rule, message });
  }

  /** Leaves work for `finish`, which may add violations and yields where it may be interrupted. */
  postpone(work: Generator<void, void>): void {
    this.#postponed.push(work);
  }

  /** Runs the postponed work. */
  *finish(): Generator<void, void> {
    for (let next = this.#postponed.shift(); next !== undefined; next = this.#postponed.shift()) yield* next;
  }

  /** Adds a violation for a name that is not among the known ones, suggesting the nearest of them. */
  unknown(kind: 'member' | 'parameter', path: string, name: string, known: Iterable<string>): undefined {
    if (this.full) return;
    const [nearest] = nearestNames(name, known);
    const hint = nearest === undefined ? '' : `; did you mean ${nearest}?`;
    this.add(memberPath(path, shownName(name)), 'unknown', `unknown ${kind}${hint}`);
  }
}

/** An unknown name, cut to the length that is repeated to the caller. */
export function shownName(name: string): string {
  return name.length > MAX_NAME_LENGTH ? `${name.slice(0, MAX_NAME_LENGTH)}...` : name;
}

/** The path of a member of the value at `path`; an empty path is the body itself. */
export function memberPath(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}
