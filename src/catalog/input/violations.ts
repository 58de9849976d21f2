import { invalid, type Violation } from '../../base/problem.js';

/** How many faults of one file are told; the rest is counted. */
export const MAX_LISTED_FAULTS = 100;

/** Collects what is wrong with a file, so that all of it can be told at once. */
export class ViolationList {
  readonly #listed: Violation[] = [];
  #count = 0;

  /** Notes a fault at `field`, the path in the file. */
  add(field: string, rule: string, message: string): void {
    this.#count++;
    if (this.#listed.length < MAX_LISTED_FAULTS) this.#listed.push({ field, rule, message });
  }

  /** Throws the `invalid_request` Problem that names the faults; does nothing when there are none. */
  throwIfAny(): void {
    if (this.#count === 0) return;
    const untold = this.#count - this.#listed.length;
    const rest = { field: '', rule: 'more_faults', message: `and ${untold} more faults` };
    throw invalid(untold === 0 ? this.#listed : [...this.#listed, rest]);
  }
}
