import { nanoUsd } from '../../base/decimal.js';

/** The part of an activity row that sums need. */
export interface UsageTableRow {
  readonly date: string;
  readonly requests: number;
  readonly promptTokens: bigint;
  readonly completionTokens: bigint;
  /** USD charged to credits. */
  readonly usage: number;
  /** List-price USD over BYOK keys. */
  readonly byokUsage: number;
}

/** A sum of rows; amounts are exact. */
export interface UsageSum {
  readonly requests: number;
  readonly tokens: bigint;
  readonly usageNanoUsd: bigint;
  readonly byokNanoUsd: bigint;
}

export type Measure = 'usd' | 'requests' | 'tokens';

export function sumOf(rows: readonly UsageTableRow[]): UsageSum {
  return {
    requests: rows.reduce((sum, row) => sum + row.requests, 0),
    tokens: rows.reduce((sum, row) => sum + row.promptTokens + row.completionTokens, 0n),
    usageNanoUsd: rows.reduce((sum, row) => sum + nanoUsd(row.usage), 0n),
    byokNanoUsd: rows.reduce((sum, row) => sum + nanoUsd(row.byokUsage), 0n),
  };
}

/** The sum of each of the days, in their order; a day without rows is zero. */
export function sumByDay<T extends UsageTableRow>(
  rows: readonly T[],
  days: readonly string[],
): { date: string; sum: UsageSum }[] {
  return days.map((date) => ({ date, sum: sumOf(rows.filter((row) => row.date === date)) }));
}

/** The groups with the highest spend, over shared capacity and BYOK together, then those with the most requests. */
export function top<T extends UsageTableRow>(rows: readonly T[], groupOf: (row: T) => string, max: number) {
  const groups = new Map<string, T[]>();
  for (const row of rows) {
    const group = groupOf(row);
    groups.set(group, [...(groups.get(group) ?? []), row]);
  }
  return [...groups]
    .map(([group, own]) => ({ group, sum: sumOf(own) }))
    .sort((a, b) => compare(spent(b.sum), spent(a.sum)) || b.sum.requests - a.sum.requests)
    .slice(0, max);
}

function spent({ usageNanoUsd, byokNanoUsd }: UsageSum): bigint {
  return usageNanoUsd + byokNanoUsd;
}

function compare(a: bigint, b: bigint): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
