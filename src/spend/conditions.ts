/**
 * What a decision rests on, so that one made on balances as they were last seen can be held against those of now: the
 * figures that it looked at, and how far each may have moved without any difference to it. Pure.
 */
import type { NanoUsd } from '../base/money.js';
import type { Movement } from './balance.js';
import { type Figure, figureOf } from './figures.js';

/** Both ends are in it; null = there is none. */
export interface Range {
  readonly lowest: NanoUsd | null;
  readonly highest: NanoUsd | null;
}

/** A figure that lies within a range. */
export interface Condition extends Range {
  readonly figure: Figure;
}

/** The figure is this or less. */
export function atMost(figure: Figure, highest: NanoUsd): Condition {
  return { figure, lowest: null, highest };
}

/** The range, further up by so much. */
export function shifted({ lowest, highest }: Range, by: NanoUsd): Range {
  return { lowest: lowest === null ? null : lowest + by, highest: highest === null ? null : highest + by };
}

/** Conditions that must all hold, one of each figure. */
export class Conditions {
  readonly #bySubject = new Map<string, Condition[]>();

  /** Demands it of the balance after these movements; of the balance before them, therefore, what they leave of it. */
  demand(condition: Condition, movement: Movement | undefined): void {
    const { figure } = condition;
    const { lowest, highest } =
      movement === undefined ? condition : shifted(condition, -figureOf(figure, movement));
    const known = this.#bySubject.get(figure.subject);
    const index = known?.findIndex((other) => isSame(other.figure, figure)) ?? -1;
    const other = known?.[index];
    if (known === undefined) this.#bySubject.set(figure.subject, [{ figure, lowest, highest }]);
    else if (other === undefined) known.push({ figure, lowest, highest });
    else known[index] = both(other, lowest, highest);
  }

  all(): readonly Condition[] {
    return [...this.#bySubject.values()].flat();
  }
}

/** Of the same subject. */
function isSame(a: Figure, b: Figure): boolean {
  return a.kind === b.kind && a.interval === b.interval && a.start === b.start;
}

function both({ figure, ...range }: Condition, lowest: NanoUsd | null, highest: NanoUsd | null): Condition {
  return {
    figure,
    lowest: range.lowest === null || (lowest !== null && lowest > range.lowest) ? lowest : range.lowest,
    highest:
      range.highest === null || (highest !== null && highest < range.highest) ? highest : range.highest,
  };
}
