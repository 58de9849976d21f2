import type { NanoUsd } from '../base/money.js';
import type { Attempt } from '../routing/types.js';
import { type ListPrice, listPrice, type Metered } from '../spend/price.js';

/** What a request costs, and whom. */
export interface Cost {
  readonly isByok: boolean;
  /** At list price, whoever pays. */
  readonly list: ListPrice;
  /** Charged to credits, the fee among it. */
  readonly chargedNanoUsd: NanoUsd;
  readonly byokFeeNanoUsd: NanoUsd;
}

/** What the attempt that served costs; `at` is the start of the request in Unix milliseconds. */
export type Price = (attempt: Attempt, metered: Metered, at: number) => Cost;

/** List prices alone: nothing is charged to anybody. */
export const priceUncharged: Price = ({ endpoint, key }, metered, at) => ({
  isByok: key !== null,
  list: listPrice(endpoint.pricing, metered, at),
  chargedNanoUsd: 0n,
  byokFeeNanoUsd: 0n,
});
