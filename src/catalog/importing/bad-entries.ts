import type { Violation } from '../../base/problem.js';
import type { CatalogViolations } from '../input/violation-list.js';

/** An entry of a third party's list that can't be taken, and its first fault. */
export interface BadEntry extends Violation {
  /** The provider's slug, and the provider's own id of the model; null = the whole provider. */
  readonly provider: string;
  readonly model: string | null;
}

/** Further ones are only counted. */
const MAX_NAMED = 50;

/** The entries of a list that can't be taken: all are counted, the first ones named. */
export class BadEntries {
  readonly #named: BadEntry[] = [];
  readonly #models = new Map<string, Set<string> | null>();
  #count = 0;

  add(provider: string, model: string | null, violations: CatalogViolations): void {
    const [fault] = violations.listed;
    if (fault === undefined) return;
    this.#count++;
    if (this.#named.length < MAX_NAMED) this.#named.push({ provider, model, ...fault });
    const known = this.#models.get(provider);
    if (model === null) this.#models.set(provider, null);
    else if (known === undefined) this.#models.set(provider, new Set([model]));
    else known?.add(model);
  }

  get count(): number {
    return this.#count;
  }

  get named(): readonly BadEntry[] {
    return this.#named;
  }

  /** Whether the list has such an entry, which can't be taken. */
  has(provider: string, model: string): boolean {
    const known = this.#models.get(provider);
    return known === null || known?.has(model) === true;
  }
}
