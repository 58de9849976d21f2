/** How much of a request is billed at which price: `docs/money.md#what-is-billed-at-what`. */
import { PRICE_KEYS, type PriceKey } from '../catalog/types.js';
import { type Metered, pricedBy, requestsBilled, SIDES } from '../ledger/pricing/price.js';

/** What is billed at a price since it has none of its own: its own, which does not stand, and how much. */
export interface PartWithoutPrice {
  readonly kind: PriceKey;
  readonly quantity: number;
}

/** What is billed at one price. */
interface BilledQuantity {
  readonly key: PriceKey;
  readonly quantity: number;
  readonly includes: readonly PartWithoutPrice[];
}

/** Of each price that stands and bills something, in the order of `PRICE_KEYS`, how much `priceAt` multiplies it with. */
export function billedQuantities(
  prices: Readonly<Partial<Record<PriceKey, unknown>>>,
  metered: Metered,
): readonly BilledQuantity[] {
  const billed = new Map<PriceKey, { quantity: number; includes: PartWithoutPrice[] }>();
  const add = (key: PriceKey, quantity: number, kind: PriceKey) => {
    if (quantity === 0 || prices[key] === undefined) return;
    const known = billed.get(key) ?? { quantity: 0, includes: [] };
    billed.set(key, known);
    known.quantity += quantity;
    if (kind !== key) known.includes.push({ kind, quantity });
  };
  for (const { whole, restKey, kinds } of SIDES) {
    let rest = whole(metered);
    // As long as there is a rest, what has a price comes first.
    for (const isPriced of [true, false]) {
      for (const kind of kinds) {
        const key = pricedBy(prices, kind);
        if ((key !== undefined) !== isPriced) continue;
        const quantity = Math.max(0, Math.min(kind.count(metered), rest));
        rest -= quantity;
        add(key ?? restKey, quantity, kind.keys[0]);
      }
    }
    add(restKey, rest, restKey);
  }
  add('request', requestsBilled(metered), 'request');
  add('image', metered.images, 'image');
  add('image_output', metered.outputImages, 'image_output');
  return PRICE_KEYS.flatMap((key) => {
    const found = billed.get(key);
    return found === undefined ? [] : [{ key, ...found }];
  });
}
