import type { EndUserReader } from '../../identity/end-users.js';
import { emptyBalance } from '../../ledger/balance/balance.js';
import { limitSelector, spentValue } from '../../ledger/balance/balance-values.js';
import { endUserLimit } from '../../ledger/end-users.js';
import { subjects } from '../../ledger/payer.js';
import type { Database } from '../database/database.js';
import { readPage } from '../query/read-page.js';
import type { LedgerMemory } from './ledger-memory.js';
import { createBalanceReader } from './ledger-rows.js';

export function createEndUserReader({ query }: Database, memory: LedgerMemory | null): EndUserReader {
  const readBalances = createBalanceReader();
  return {
    async endUsersOf(keyHash, rules, page, nowMs) {
      const ordered = query
        .selectFrom('end_user')
        .selectAll()
        .where('api_key_hash', '=', keyHash)
        .orderBy('last_at', 'desc')
        .orderBy('name');
      const { rows, totalCount } = await readPage(ordered, page);
      const names = rows.map(({ name }) => subjects.endUser(keyHash, name));
      const stored = memory?.stored(names) ?? (await readBalances(query, names));
      const balances = new Map(stored.map((balance) => [balance.subject, balance]));
      const endUsers = rows.map(({ name, requests, last_at: lastAt }) => {
        const subject = subjects.endUser(keyHash, name);
        const balance = balances.get(subject) ?? emptyBalance(subject);
        const limit = endUserLimit(rules, name);
        const left = limit && limit.limitNanoUsd - spentValue(limitSelector(limit, nowMs), balance);
        return {
          name,
          usageNanoUsd: balance.total.creditNanoUsd,
          byokUsageNanoUsd: balance.total.byokNanoUsd,
          requests,
          remainingNanoUsd: left !== null && left < 0n ? 0n : left,
          lastAt,
        };
      });
      return { endUsers, totalCount };
    },
  };
}
