import { describe, expect, test } from 'vitest';
import { CLEAR, set } from '../../src/base/change.js';
import type { NewKey } from '../../src/identity/create-key.js';
import { getKey } from '../../src/identity/read-keys.js';
import { updateKey } from '../../src/identity/update-key.js';
import type { LedgerEntryTable } from '../../src/store/schema/schema.js';
import { entry, insertEntries } from '../store/rows.js';
import { changes, createWorld, newAccount, newKey, type World } from './world.js';

type Spent = readonly [kind: LedgerEntryTable['kind'], at: string, amountNanoUsd: bigint];

/** Writes ledger entries of a key; the clock is at Wednesday 2026-03-18, 12:00 UTC. */
async function spend(world: World, hash: string, rows: readonly Spent[]) {
  const entries = rows.map(([kind, at, amount], index) => {
    const over = { kind, api_key_hash: hash, amount_nano_usd: amount, created_at: Date.parse(at) };
    return entry(`${hash}${index}`, over);
  });
  await insertEntries(world.database, entries);
}

async function worldWithKey(over: Partial<NewKey> = {}) {
  const world = await createWorld();
  const { principal } = await newAccount(world);
  const { hash } = (await newKey(world, principal, over)).record.key;
  return { world, principal, hash, read: () => getKey(world.keys, principal, hash) };
}

describe('usage', () => {
  test('credits and BYOK fees are usage, list-price BYOK cost is BYOK usage, each by window', async () => {
    const { world, hash, read } = await worldWithKey();
    await spend(world, hash, [
      ['credit_spend', '2026-03-18T00:00:00.000Z', 1n],
      ['credit_spend', '2026-03-17T23:59:59.999Z', 10n],
      ['byok_fee', '2026-03-16T00:00:00.000Z', 100n],
      ['credit_spend', '2026-03-15T23:59:59.999Z', 1_000n],
      ['byok_fee', '2026-03-01T00:00:00.000Z', 10_000n],
      ['credit_spend', '2026-02-28T23:59:59.999Z', 2n ** 60n],
      ['byok_cost', '2026-03-18T11:00:00.000Z', 3n],
      ['byok_cost', '2026-03-16T11:00:00.000Z', 30n],
      ['byok_cost', '2026-03-02T11:00:00.000Z', 300n],
      ['byok_cost', '2025-03-18T11:00:00.000Z', 3_000n],
      ['top_up', '2026-03-18T11:00:00.000Z', 77n],
    ]);
    expect((await read()).usage).toEqual({
      usage: { total: 2n ** 60n + 11_111n, daily: 1n, weekly: 111n, monthly: 11_111n },
      byokUsage: { total: 3_333n, daily: 3n, weekly: 33n, monthly: 333n },
    });
  });

  test('is counted for each key separately', async () => {
    const { world, principal, hash, read } = await worldWithKey();
    const other = (await newKey(world, principal)).record.key.hash;
    await spend(world, other, [['credit_spend', '2026-03-18T00:00:00Z', 5n]]);
    expect((await read()).usage.usage.total).toBe(0n);
    await spend(world, hash, [['credit_spend', '2026-03-18T00:00:00Z', 6n]]);
    expect((await read()).usage.usage.total).toBe(6n);
  });
});

describe('limit_remaining', () => {
  const SPENT: readonly Spent[] = [
    ['credit_spend', '2026-03-18T01:00:00Z', 20n],
    ['byok_cost', '2026-03-18T02:00:00Z', 3n],
    ['credit_spend', '2026-03-16T01:00:00Z', 30n],
    ['byok_cost', '2026-03-10T01:00:00Z', 5n],
    ['credit_spend', '2026-02-10T01:00:00Z', 40n],
  ];

  test.each<[string, Partial<NewKey>, bigint | null]>([
    ['without a limit there is none', { limitNanoUsd: null }, null],
    ['without a reset all usage counts', { limitNanoUsd: 100n }, 10n],
    ['with BYOK included that counts too', { limitNanoUsd: 100n, includeByokInLimit: true }, 2n],
    ['of the day', { limitNanoUsd: 100n, limitReset: 'daily' }, 80n],
    ['of the week', { limitNanoUsd: 100n, limitReset: 'weekly' }, 50n],
    ['of the month, with BYOK', { limitNanoUsd: 100n, limitReset: 'monthly', includeByokInLimit: true }, 42n],
    ['never less than nothing', { limitNanoUsd: 60n }, 0n],
    ['a limit of nothing', { limitNanoUsd: 0n, limitReset: 'daily' }, 0n],
  ])('%s', async (_what, over, remaining) => {
    const { world, hash, read } = await worldWithKey(over);
    await spend(world, hash, SPENT);
    expect((await read()).limitRemainingNanoUsd).toBe(remaining);
  });

  test('follows the clock over midnight, and a change of limit_reset at once', async () => {
    const { world, principal, hash, read } = await worldWithKey({ limitNanoUsd: 100n, limitReset: 'daily' });
    await spend(world, hash, SPENT);
    world.clock.nowMs = Date.parse('2026-03-18T23:59:59.999Z');
    expect((await read()).limitRemainingNanoUsd).toBe(80n);
    world.clock.nowMs = Date.parse('2026-03-19T00:00:00.000Z');
    expect((await read()).limitRemainingNanoUsd).toBe(100n);
    const weekly = await updateKey(world.keys, principal, hash, changes({ limitReset: set('weekly') }));
    expect(weekly.limitRemainingNanoUsd).toBe(50n);
    const unlimited = await updateKey(world.keys, principal, hash, changes({ limitNanoUsd: CLEAR }));
    expect(unlimited.limitRemainingNanoUsd).toBe(null);
  });
});
