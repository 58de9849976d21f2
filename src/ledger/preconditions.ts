/**
 * What a decision rests on, so that one made on balances as they were last seen can be held against those of now: the
 * figures that it looked at, and how far each may have moved without any difference to it. Pure.
 */
import type { NanoUsd } from '../base/money.js';
import type { BalanceDelta } from './balance.js';
import { type BalanceSelector, balanceValue } from './balance-selector.js';

/** Both ends are in it; null = there is none. */
export interface Range {
  readonly min: NanoUsd | null;
  readonly max: NanoUsd | null;
}

/** A figure that lies within a range. */
export interface Precondition extends Range {
  readonly selector: BalanceSelector;
}

/** The figure is this or less. */
export function atMost(selector: BalanceSelector, max: NanoUsd): Precondition {
  return { selector, min: null, max };
}

/** The range, further up by so much. */
export function shifted({ min, max }: Range, by: NanoUsd): Range {
  return { min: min === null ? null : min + by, max: max === null ? null : max + by };
}

/** Conditions that must all hold, one of each figure. */
export class Preconditions {
  readonly #bySubject = new Map<string, Precondition[]>();

  /** Demands it of the balance after these movements; of the balance before them, therefore, what they leave of it. */
  demand(precondition: Precondition, delta: BalanceDelta | undefined): void {
    const { selector } = precondition;
    const { min, max } =
      delta === undefined ? precondition : shifted(precondition, -balanceValue(selector, delta));
    const known = this.#bySubject.get(selector.subject);
    const index = known?.findIndex((other) => isSame(other.selector, selector)) ?? -1;
    const other = known?.[index];
    if (known === undefined) this.#bySubject.set(selector.subject, [{ selector, min, max }]);
    else if (other === undefined) known.push({ selector, min, max });
    else known[index] = both(other, min, max);
  }

  all(): readonly Precondition[] {
    return [...this.#bySubject.values()].flat();
  }
}

/** Of the same subject. */
function isSame(a: BalanceSelector, b: BalanceSelector): boolean {
  return a.kind === b.kind && a.interval === b.interval && a.start === b.start;
}

function both({ selector, ...range }: Precondition, min: NanoUsd | null, max: NanoUsd | null): Precondition {
  return {
    selector,
    min: range.min === null || (min !== null && min > range.min) ? min : range.min,
    max: range.max === null || (max !== null && max < range.max) ? max : range.max,
  };
}
