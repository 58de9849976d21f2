import type { NanoUsd } from '../base/money.js';
import type { Interval } from './balance/windows.js';

/** Sums over all time and over the current windows. */
export type UsageSums = Readonly<Record<'total' | Interval, NanoUsd>>;

/** What an API key has spent. */
export interface KeyUsage {
  /** Charged to credits: shared capacity and BYOK fees. */
  readonly usage: UsageSums;
  /** List-price cost of BYOK usage. */
  readonly byokUsage: UsageSums;
}

export interface UsageReader {
  /**
   * As of the instant; the result has every given hash. Usage that is read from memory is the same object until it
   * changes.
   */
  usageOf(keyHashes: readonly string[], nowMs: number): Promise<ReadonlyMap<string, KeyUsage>>;
}

const NO_SUMS: UsageSums = { total: 0n, daily: 0n, weekly: 0n, monthly: 0n };

export const NO_USAGE: KeyUsage = { usage: NO_SUMS, byokUsage: NO_SUMS };
