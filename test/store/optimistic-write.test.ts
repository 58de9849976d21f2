import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Precondition } from '../../src/ledger/admission.js';
import {
  applyDelta,
  type Balance,
  type BalanceDelta,
  byokOfMonth,
  emptyBalance,
} from '../../src/ledger/balance/balance.js';
import { type BalanceSelector, balanceValue } from '../../src/ledger/balance/balance-values.js';
import { INTERVALS, windowStart } from '../../src/ledger/balance/windows.js';
import { createBalanceReader } from '../../src/store/ledger/ledger-rows.js';
import { createDeltaWriter, type ReservationRow } from '../../src/store/ledger/ledger-transaction.js';
import { createPreconditionQueries } from '../../src/store/ledger/preconditions.js';
import { deltasAt } from '../ledger/arbitraries.js';
import { DATABASE_KINDS, withDatabase } from '../support/database.js';
import { entry, entryIds } from './rows.js';

/** The second day of a month, a Tuesday: every window has begun before. */
const AT = Date.UTC(2026, 5, 2, 12);
const DAY_MS = 86_400_000;
const RUNS = { numRuns: 150 };

const instants = [AT - 70 * DAY_MS, AT - 40 * DAY_MS, AT - DAY_MS, AT, AT + DAY_MS, AT + 40 * DAY_MS];
const deltas = fc.shuffledSubarray(instants, { maxLength: 3 }).chain(deltasAt);
const sum = (list: readonly BalanceDelta[]) => list.reduce<Balance>(applyDelta, emptyBalance('s'));

const selectors: fc.Arbitrary<BalanceSelector> = fc
  .record({
    kind: fc.constantFrom('credit' as const, 'both' as const, 'byok' as const),
    interval: fc.constantFrom(null, ...INTERVALS),
  })
  .map(({ kind, interval }) => {
    const start = interval === null ? 0 : windowStart(interval, AT);
    return { subject: 's', kind, interval, start };
  });
const special: fc.Arbitrary<BalanceSelector> = fc.constantFrom(
  { subject: 's', kind: 'owed', interval: null, start: 0 },
  { subject: 's', kind: 'settled_byok', interval: 'monthly', start: windowStart('monthly', AT) },
);
const end = fc.option(fc.bigInt({ min: -20n, max: 80n }));
const preconditions: fc.Arbitrary<Precondition> = fc.record({
  selector: fc.oneof(selectors, special),
  min: end,
  max: end,
});

describe.each(DATABASE_KINDS)('on %s', (kind) => {
  it('totals become the sum of the deltas, in any order of windows', async () => {
    const { query, transactWithLocks } = await withDatabase(kind);
    const [write, read] = [createDeltaWriter(query), createBalanceReader()];
    let count = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(deltas, { minLength: 1, maxLength: 4 }), async (list) => {
        const names = Array.from({ length: 10 }, () => `s-${++count}`);
        for (const delta of list) {
          const writes = write(new Map(names.map((name) => [name, delta])));
          await transactWithLocks([], async () => ({ result: undefined, writes }));
        }
        const found = await read(query, names);
        expect(found).toHaveLength(10);
        for (const balance of found) expect(balance).toEqual({ ...sum(list), subject: balance.subject });
      }),
      RUNS,
    );
  });

  it('the queries find a row exactly when a precondition fails', async () => {
    const { query, transactWithLocks } = await withDatabase(kind);
    const [write, queriesFor] = [createDeltaWriter(query), createPreconditionQueries(query)];
    let [count, failures] = [0, 0];
    const one = fc.tuple(fc.array(deltas, { minLength: 1, maxLength: 2 }), preconditions);
    await fc.assert(
      fc.asyncProperty(fc.array(one, { minLength: 1, maxLength: 3 }), async (list) => {
        const named = list.map(([all, precondition]) => ({
          name: `s-${++count}`,
          total: sum(all),
          precondition,
        }));
        const totals = new Map(named.map(({ name, total }) => [name, total]));
        await transactWithLocks([], async () => ({ result: undefined, writes: write(totals) }));
        const required = named.map(({ name, precondition }) => ({
          ...precondition,
          selector: { ...precondition.selector, subject: name },
        }));
        const rows = await Promise.all(
          queriesFor({ preconditions: required, reservations: [] }).map((check) => query.executeQuery(check)),
        );
        const hasFailed = rows.some((answer) => answer.rows.length > 0);
        expect(hasFailed).toBe(named.some(({ total, precondition }) => !isMet(precondition, total)));
        if (hasFailed) failures++;
      }),
      RUNS,
    );
    expect(failures).toBeGreaterThan(10);
    expect(failures).toBeLessThan(RUNS.numRuns - 10);
  });

  it('a reservation that has ended or changed is a failed precondition', async () => {
    const { query, transactWithLocks } = await withDatabase(kind);
    const row: ReservationRow = {
      id: 'r',
      account_id: 'a',
      workspace_id: 'w',
      api_key_hash: 'k',
      user_id: 'u',
      holder: 'h',
      credit_nano_usd: 1n,
      byok_nano_usd: 2n,
      sum_nano_usd: 3n,
      expires_at: 4,
      run_id: null,
      end_user: null,
    };
    const write = query.insertInto('reservation').values(row).compile();
    await transactWithLocks([], async () => ({ result: undefined, writes: [write] }));
    const hasFailed = async (...reservations: readonly ReservationRow[]) => {
      const [check] = createPreconditionQueries(query)({ preconditions: [], reservations });
      return check !== undefined && (await query.executeQuery(check)).rows.length > 0;
    };
    expect(await hasFailed()).toBe(false);
    expect(await hasFailed(row)).toBe(false);
    expect(await hasFailed(row, { ...row, id: 'other' })).toBe(true);
    expect(await hasFailed({ ...row, sum_nano_usd: 4n })).toBe(true);
  });

  it('a failed precondition prevents the write, and a write that fails rolls back the others', async () => {
    const database = await withDatabase(kind);
    const { query } = database;
    const insert = (id: string) => query.insertInto('ledger_entry').values(entry(id)).compile();
    const find = (id: string) => query.selectFrom('ledger_entry').select('id').where('id', '=', id).compile();
    let commits = 0;
    const write = (unless: string, ...ids: readonly string[]) =>
      database.writeOptimistically(['a'], {
        unless: [find('nothing'), find(unless)],
        writes: ids.map(insert),
        proofs: () => ids.map(find),
        onCommit: () => {
          commits += 1;
        },
      });
    expect(await write('x', 'a', 'b')).toBe(true);
    expect(await write('b', 'c')).toBe(false);
    await expect(write('x', 'd', 'a', 'e')).rejects.toThrow();
    expect(await write('d', 'f')).toBe(true);
    expect(await entryIds(database)).toEqual(['a', 'b', 'f']);
    expect(commits).toBe(2);
  });
});

function isMet({ selector, min, max }: Precondition, balance: BalanceDelta): boolean {
  // Two newer months have begun: the totals have this one no more.
  if (selector.kind === 'settled_byok' && byokOfMonth(balance, selector.start) === undefined) return false;
  const value = balanceValue(selector, balance);
  return (min === null || value >= min) && (max === null || value <= max);
}
