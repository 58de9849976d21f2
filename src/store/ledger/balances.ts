import type { ReadBalances } from '../../ledger/limits.js';
import type { Database } from '../database/database.js';
import type { LedgerCache } from './balance-cache.js';
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

/**
 * Balances as this process knows them, with what it has charged and reserved; what another process has done since is not in
 * them. The database is read for those alone that are not known.
 */
export function createKnownBalances({ query }: Database, cache: LedgerCache): ReadBalances {
  const readBalances = createBalanceReader();
  return async (subjects) => {
    const known = subjects.flatMap((subject) => cache.balance(subject) ?? []);
    if (known.length === subjects.length) return known;
    const missing = subjects.filter((subject) => cache.balance(subject) === undefined);
    return [...known, ...(await readBalances(query, missing))];
  };
}
