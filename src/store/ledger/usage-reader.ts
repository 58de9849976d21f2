import { LastResults } from '../../base/memory/last-results.js';
import { type Balance, spentWithin, type WindowSpend } from '../../ledger/balance/balance.js';
import { INTERVALS, windowStart } from '../../ledger/balance/windows.js';
import { subjects } from '../../ledger/payer.js';
import { type KeyUsage, NO_USAGE, type UsageReader, type UsageSums } from '../../ledger/usage.js';
import type { Database } from '../database/database.js';
import type { LedgerMemory } from './ledger-memory.js';
import { createBalanceReader } from './ledger-rows.js';

export function createUsageReader({ query }: Database, memory: LedgerMemory | null): UsageReader {
  const readBalances = createBalanceReader();
  const usages = new LastResults<Balance, number, KeyUsage>();
  const usageWithin = (balance: Balance, nowMs: number) => {
    const day = windowStart('daily', nowMs);
    return usages.get(balance, day) ?? usages.set(balance, day, usageOf(balance, nowMs));
  };
  return {
    async usageOf(keyHashes, nowMs) {
      const names = keyHashes.map(subjects.key);
      const balances = memory?.stored(names) ?? (await readBalances(query, names));
      const found = new Map(balances.map((balance) => [balance.subject, usageWithin(balance, nowMs)]));
      return new Map(keyHashes.map((hash) => [hash, found.get(subjects.key(hash)) ?? NO_USAGE]));
    },
  };
}

function usageOf(balance: Balance, nowMs: number): KeyUsage {
  return {
    usage: sums(balance, nowMs, 'creditNanoUsd'),
    byokUsage: sums(balance, nowMs, 'byokNanoUsd'),
  };
}

function sums(balance: Balance, nowMs: number, which: Exclude<keyof WindowSpend, 'start'>): UsageSums {
  const [daily, weekly, monthly] = INTERVALS.map((interval) => spentWithin(balance, interval, nowMs)[which]);
  return { total: balance.total[which], daily: daily ?? 0n, weekly: weekly ?? 0n, monthly: monthly ?? 0n };
}
