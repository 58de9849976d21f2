import {
  applyDelta,
  type Balance,
  charge,
  type Reserve,
  release,
  reservation,
  type Spend,
  topUpDelta,
} from '../../src/ledger/balance/balance.js';

/** The balance after one change. */
export const charged = (balance: Balance, spend: Spend, at: number) => applyDelta(balance, charge(spend, at));
export const toppedUp = (balance: Balance, amountNanoUsd: bigint) =>
  applyDelta(balance, topUpDelta(amountNanoUsd));
export const reserved = (balance: Balance, reserve: Reserve) => applyDelta(balance, reservation(reserve));
export const released = (balance: Balance, reserve: Reserve) => applyDelta(balance, release(reserve));
