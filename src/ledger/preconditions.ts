/**
 * Preconditions of decisions that are made on cached balances: the values that a decision read, each with the range in
 * which it may lie without changing the decision. Pure.
 */
import type { NanoUsd } from '../base/money.js';
import type { BalanceDelta } from './balance.js';
import { type BalanceSelector, balanceValue } from './balance-selector.js';

/** Both ends inclusive; null = unbounded. */
export interface Range {
  readonly min: NanoUsd | null;
  readonly max: NanoUsd | null;
}

/** A value of a balance must lie within a range. */
export interface Precondition extends Range {
  readonly selector: BalanceSelector;
}

export function atMost(selector: BalanceSelector, max: NanoUsd): Precondition {
  return { selector, min: null, max };
}

export function shifted({ min, max }: Range, by: NanoUsd): Range {
  return { min: min === null ? null : min + by, max: max === null ? null : max + by };
}

/** Preconditions that must all hold, merged to one for each value. */
export class Preconditions {
  readonly #bySubject = new Map<string, Precondition[]>();

  /** Adds a precondition on the balance after `delta`, as one on the balance before it. */
  add(precondition: Precondition, delta: BalanceDelta | undefined): void {
    const { selector } = precondition;
    const { min, max } =
      delta === undefined ? precondition : shifted(precondition, -balanceValue(selector, delta));
    const known = this.#bySubject.get(selector.subject);
    const index = known?.findIndex((other) => isSame(other.selector, selector)) ?? -1;
    const other = known?.[index];
    if (known === undefined) this.#bySubject.set(selector.subject, [{ selector, min, max }]);
    else if (other === undefined) known.push({ selector, min, max });
    else known[index] = intersected(other, min, max);
  }

  all(): readonly Precondition[] {
    return [...this.#bySubject.values()].flat();
  }
}

/** Both are of the same subject. */
function isSame(a: BalanceSelector, b: BalanceSelector): boolean {
  return a.kind === b.kind && a.interval === b.interval && a.start === b.start;
}

function intersected(
  { selector, ...range }: Precondition,
  min: NanoUsd | null,
  max: NanoUsd | null,
): Precondition {
  return {
    selector,
    min: range.min === null || (min !== null && min > range.min) ? min : range.min,
    max: range.max === null || (max !== null && max < range.max) ? max : range.max,
  };
}
