/** Charges by subject and day; sums over windows are added up on each call. */
import { isWithin, type Window } from './calendar.js';

export interface Amounts {
  readonly creditNanoUsd: bigint;
  readonly byokNanoUsd: bigint;
}

const NOTHING: Amounts = { creditNanoUsd: 0n, byokNanoUsd: 0n };

export class DailySums {
  readonly #days = new Map<string, Map<number, Amounts>>();

  add(names: readonly string[], day: number, amounts: Amounts): void {
    for (const name of names) {
      const days = this.#days.get(name) ?? new Map<number, Amounts>();
      this.#days.set(name, days.set(day, sum(days.get(day) ?? NOTHING, amounts)));
    }
  }

  /** The sum of the window that contains the day `now`. */
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
