import { invalid, type Violation } from '../../base/problem.js';

/** Further violations are only counted. */
export const MAX_LISTED_VIOLATIONS = 100;

/** Collects the violations of a file, to report them all at once. */
export class CatalogViolations {
  readonly #listed: Violation[] = [];
  #count = 0;

  /** `field` is the path in the file. */
  add(field: string, rule: string, message: string): void {
    this.#count++;
    if (this.#listed.length < MAX_LISTED_VIOLATIONS) this.#listed.push({ field, rule, message });
  }

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  /** The first of them. */
  get listed(): readonly Violation[] {
    return this.#listed;
  }

  /** Throws an `invalid_request` Problem with the violations, if there are any. */
  throwIfAny(): void {
    if (this.#count === 0) return;
    const unlisted = this.#count - this.#listed.length;
    const rest = { field: '', rule: 'more_faults', message: `and ${unlisted} more errors` };
    throw invalid(unlisted === 0 ? this.#listed : [...this.#listed, rest]);
  }
}
