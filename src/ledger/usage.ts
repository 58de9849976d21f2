import type { NanoUsd } from '../base/money.js';
import type { Interval } from './windows.js';

/** Sums over all time and over the windows that hold the instant asked for. */
export type UsageSums = Readonly<Record<'total' | Interval, NanoUsd>>;

/** What an API key has spent (spec 2.5; interface section 5). */
export interface KeyUsage {
  /** Charged to credits: shared capacity and BYOK fees. */
  readonly usage: UsageSums;
  /** List-price cost of what went over the caller's own provider keys. */
  readonly byokUsage: UsageSums;
}

/** Reads spending from the ledger, the only place that knows it. */
export interface UsageReader {
  /** The usage of each of the keys as of the instant; every hash asked for is in the answer. */
  usageOf(keyHashes: readonly string[], nowMs: number): Promise<ReadonlyMap<string, KeyUsage>>;
}

const NO_SUMS: UsageSums = { total: 0n, daily: 0n, weekly: 0n, monthly: 0n };

/** The usage of a key that has never been used. */
export const NO_USAGE: KeyUsage = { usage: NO_SUMS, byokUsage: NO_SUMS };
