import type { ReadBalances } from '../../ledger/limits.js';
import type { Database } from '../database/database.js';
import { createBalanceReader } from './ledger-rows.js';

/** Balances as they are in the database, reservations included. */
export function createBalances({ query }: Database): ReadBalances {
  const readBalances = createBalanceReader();
  return (subjects) => readBalances(query, subjects);
}
