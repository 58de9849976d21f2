/** What was charged to whom on which day, and its sums over windows, added up anew each time. */
import { isWithin, type Window } from './calendar.js';

export interface Amounts {
  readonly creditNanoUsd: bigint;
  readonly byokNanoUsd: bigint;
}

const NOTHING: Amounts = { creditNanoUsd: 0n, byokNanoUsd: 0n };

/** Plain sums by name and day. */
export class LedgerTransaction {
  readonly #days = new Map<string, Map<number, Amounts>>();

  add(names: readonly string[], day: number, amounts: Amounts): void {
    for (const name of names) {
      const days = this.#days.get(name) ?? new Map<number, Amounts>();
      this.#days.set(name, days.set(day, sum(days.get(day) ?? NOTHING, amounts)));
    }
  }

  /** What counts in the window that holds the day `now`. */
  within(name: string, window: Window, now: number): Amounts {
    let total = NOTHING;
    for (const [day, amounts] of this.#days.get(name) ?? []) {
      if (isWithin(window, day, now)) total = sum(total, amounts);
    }
    return total;
  }
}

function sum(a: Amounts, b: Amounts): Amounts {
  return {
    creditNanoUsd: a.creditNanoUsd + b.creditNanoUsd,
    byokNanoUsd: a.byokNanoUsd + b.byokNanoUsd,
  };
}
