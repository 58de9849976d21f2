import type { ReadBalances } from '../../ledger/limits.js';
import type { Database } from '../database/database.js';
import type { LedgerMemory } from './ledger-memory.js';
import { createBalanceReader } from './ledger-rows.js';

/** Balances as they are now, with what requests in flight have reserved. */
export function createBalances({ query }: Database, memory: LedgerMemory | null): ReadBalances {
  const readBalances = createBalanceReader();
  return async (subjects) => {
    if (memory === null) return readBalances(query, subjects);
    const stored = memory.stored(subjects) ?? (await readBalances(query, subjects));
    return stored.map((balance) => memory.held.addedTo(balance));
  };
}
