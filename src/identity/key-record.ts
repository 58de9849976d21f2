import type { NanoUsd } from '../base/money.js';
import { type KeyUsage, NO_USAGE, type UsageReader } from '../ledger/usage.js';
import type { ApiKey } from './api-key.js';

/** An API key as it is shown: with what it has spent and may still spend. */
export interface KeyRecord {
  readonly key: ApiKey;
  readonly usage: KeyUsage;
  /** null without a limit; never negative. */
  readonly limitRemainingNanoUsd: NanoUsd | null;
}

/** In the order of the keys, as of `nowMs`. */
export async function describeKeys(
  reader: UsageReader,
  keys: readonly ApiKey[],
  nowMs: number,
): Promise<KeyRecord[]> {
  const usages = await reader.usageOf(
    keys.map((key) => key.hash),
    nowMs,
  );
  return keys.map((key) => recordOf(key, usages.get(key.hash) ?? NO_USAGE));
}

/** As of `nowMs`. */
export async function describeKey(reader: UsageReader, key: ApiKey, nowMs: number): Promise<KeyRecord> {
  const usages = await reader.usageOf([key.hash], nowMs);
  return recordOf(key, usages.get(key.hash) ?? NO_USAGE);
}

function recordOf(key: ApiKey, usage: KeyUsage): KeyRecord {
  return { key, usage, limitRemainingNanoUsd: limitRemaining(key, usage) };
}

/** The limit less what counts toward it in its current window. */
function limitRemaining(key: ApiKey, { usage, byokUsage }: KeyUsage): NanoUsd | null {
  if (key.limitNanoUsd === null) return null;
  const window = key.limitReset ?? 'total';
  const counted = usage[window] + (key.includeByokInLimit ? byokUsage[window] : 0n);
  return counted >= key.limitNanoUsd ? 0n : key.limitNanoUsd - counted;
}
