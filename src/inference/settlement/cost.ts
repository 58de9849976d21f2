import type { NanoUsd } from '../../base/money.js';
import type { ListPrice } from '../../ledger/price.js';

/** What a request costs, and whom. */
export interface Cost {
  readonly isByok: boolean;
  /** At list price, whoever pays. */
  readonly list: ListPrice;
  /** Charged to credits, the fee among it. */
  readonly chargedNanoUsd: NanoUsd;
}
