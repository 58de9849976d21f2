import {
  type Balance,
  charge,
  gift,
  moved,
  type Reserve,
  release,
  reservation,
  type Spend,
} from '../../src/spend/balance.js';

/** Acts on a balance, as tests of the rules tell of them. */
export const charged = (balance: Balance, spend: Spend, at: number) => moved(balance, charge(spend, at));
export const toppedUp = (balance: Balance, amountNanoUsd: bigint) => moved(balance, gift(amountNanoUsd));
export const reserved = (balance: Balance, reserve: Reserve) => moved(balance, reservation(reserve));
export const released = (balance: Balance, reserve: Reserve) => moved(balance, release(reserve));
