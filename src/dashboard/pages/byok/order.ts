/**
 * Stands between the two sections of a provider's keys, where routing tries shared capacity
 * (docs/routing.md#byok-keys).
 */
export const SHARED = 'shared-capacity';

/** The members of a key that decide its place. */
export interface Placed {
  readonly id: string;
  readonly isFallback?: boolean | undefined;
  readonly sortOrder?: number | undefined;
}

/** Where a key is: its section, and its position in there from 0. */
export interface OrderPosition {
  readonly isFallback: boolean;
  readonly sortOrder: number;
}

/** The order in which routing tries them: Prioritized keys, shared capacity, Fallback keys. */
export function orderOf(keys: readonly Placed[]): string[] {
  const section = (isFallback: boolean) =>
    keys
      .filter((key) => (key.isFallback ?? false) === isFallback)
      .sort((a, b) => (a.sortOrder ?? 0) - (b.sortOrder ?? 0))
      .map(({ id }) => id);
  return [...section(false), SHARED, ...section(true)];
}

/** The order after one entry moved to the place of another. */
export function moveEntry(order: readonly string[], from: number, to: number): string[] {
  const rest = order.filter((_, index) => index !== from);
  return [...rest.slice(0, to), ...order.slice(from, from + 1), ...rest.slice(to)];
}

/** The place that the order gives a key. */
export function positionIn(order: readonly string[], id: string): OrderPosition {
  const at = order.indexOf(id);
  const shared = order.indexOf(SHARED);
  return at < shared
    ? { isFallback: false, sortOrder: at }
    : { isFallback: true, sortOrder: at - shared - 1 };
}

/** A place as text: `Prioritized, position 2`. */
export function positionText({ isFallback, sortOrder }: OrderPosition): string {
  return `${isFallback ? 'Fallback' : 'Prioritized'}, position ${sortOrder + 1}`;
}
