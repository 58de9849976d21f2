import type { ExpressionBuilder } from 'kysely';
import { type KeyUsage, NO_USAGE, type UsageReader, type UsageSums } from '../spend/usage.js';
import { windowStart } from '../spend/windows.js';
import type { Database } from './database.js';
import { BYOK_KIND, CREDIT_KINDS } from './ledger-sums.js';
import type { Tables } from './schema.js';

/** Usage as sums over the ledger. */
export function usageReader(database: Database): UsageReader {
  return {
    async usageOf(keyHashes, nowMs) {
      if (keyHashes.length === 0) return new Map();
      const usages = new Map<string, KeyUsage>(keyHashes.map((hash) => [hash, NO_USAGE]));
      for (const row of await sums(database, keyHashes, nowMs)) {
        const usage = usages.get(row.api_key_hash ?? '') ?? NO_USAGE;
        usages.set(row.api_key_hash ?? '', withRow(usage, row));
      }
      return usages;
    },
  };
}

type SumsRow = Awaited<ReturnType<typeof sums>>[number];

function sums({ query }: Database, keyHashes: readonly string[], nowMs: number) {
  return query
    .selectFrom('ledger_entry')
    .where('api_key_hash', 'in', keyHashes)
    .where('kind', 'in', [...CREDIT_KINDS, BYOK_KIND])
    .groupBy(['api_key_hash', 'kind'])
    .select(['api_key_hash', 'kind'])
    .select((eb) => [
      eb.fn.sum<bigint>('amount_nano_usd').as('total_nano_usd'),
      sumSince(eb, windowStart('daily', nowMs)).as('daily_nano_usd'),
      sumSince(eb, windowStart('weekly', nowMs)).as('weekly_nano_usd'),
      sumSince(eb, windowStart('monthly', nowMs)).as('monthly_nano_usd'),
    ])
    .execute();
}

function sumSince(eb: ExpressionBuilder<Tables, 'ledger_entry'>, startMs: number) {
  return eb.fn.sum<bigint>(
    eb.case().when('created_at', '>=', startMs).then(eb.ref('amount_nano_usd')).else(0n).end(),
  );
}

function withRow({ usage, byokUsage }: KeyUsage, row: SumsRow): KeyUsage {
  if (row.kind === BYOK_KIND) return { usage, byokUsage: added(byokUsage, row) };
  return { usage: added(usage, row), byokUsage };
}

function added(to: UsageSums, row: SumsRow): UsageSums {
  return {
    total: to.total + row.total_nano_usd,
    daily: to.daily + row.daily_nano_usd,
    weekly: to.weekly + row.weekly_nano_usd,
    monthly: to.monthly + row.monthly_nano_usd,
  };
}
