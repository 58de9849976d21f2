import fc from 'fast-check';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { applyDelta, type Balance, type BalanceDelta } from '../../src/ledger/balance/balance.js';
import {
  BALANCE_VALUES,
  type BalanceKind,
  type BalanceSelector,
  balanceValue,
} from '../../src/ledger/balance/balance-values.js';
import {
  type RecentWindows,
  unknownBefore,
  type WindowSpend,
  windowAt,
} from '../../src/ledger/balance/recent-windows.js';
import { INTERVALS, type Interval, windowStart } from '../../src/ledger/balance/windows.js';
import { balanceValueSql, NO_INTERVAL } from '../../src/store/ledger/balance-sql.js';
import { balanceOf, wholeTotalRow } from '../../src/store/ledger/ledger-rows.js';
import { createDeltaWriter } from '../../src/store/ledger/ledger-transaction.js';
import { deltasAt } from '../ledger/arbitraries.js';
import { DATABASE_KINDS, withDatabase } from '../support/database.js';

const DAY_MS = 86_400_000;
/** The second day of a month, a Tuesday: every window has begun before. */
const AT = Date.UTC(2026, 5, 2, 12);
const INSTANTS = [-70, -40, -1, 0, 1, 40].map((days) => AT + days * DAY_MS);
const RUNS = { numRuns: 60 };

const KINDS = Object.keys(BALANCE_VALUES) as BalanceKind[];

/** Every value of the table in every interval, also those that nothing decides on. */
const SELECTORS: readonly Omit<BalanceSelector, 'subject'>[] = KINDS.flatMap((kind) => [
  { kind, interval: null, start: 0 },
  ...INTERVALS.flatMap((interval) => {
    const starts = new Set(INSTANTS.map((at) => windowStart(interval, at)));
    return [...starts].map((start) => ({ kind, interval, start }));
  }),
]);

const amount = fc.bigInt({ min: -50n, max: 10n ** 15n });
const spend = fc.record({ creditNanoUsd: amount, byokNanoUsd: amount });

/** The two newest windows of an interval: none, one, two, or one before which nothing is known. */
const windowsOf = (interval: Interval) =>
  fc
    .tuple(fc.shuffledSubarray(INSTANTS, { maxLength: 2 }), spend, spend, fc.boolean())
    .map(([instants, ofNewest, ofPrevious, isKnown]): [WindowSpend, WindowSpend] => {
      const starts = instants.map((at) => windowStart(interval, at)).sort((a, b) => b - a);
      const [newest = 0, before] = [...new Set(starts)];
      return [
        { start: newest, ...(newest === 0 ? NOTHING : ofNewest) },
        before === undefined
          ? { start: newest === 0 || isKnown ? 0 : unknownBefore(newest), ...NOTHING }
          : { start: before, ...ofPrevious },
      ];
    });

const NOTHING = { creditNanoUsd: 0n, byokNanoUsd: 0n };

const recentWindows: fc.Arbitrary<RecentWindows> = fc
  .record({ daily: windowsOf('daily'), weekly: windowsOf('weekly'), monthly: windowsOf('monthly') })
  .map(({ daily, weekly, monthly }) => ({
    windows: { daily: daily[0], weekly: weekly[0], monthly: monthly[0] },
    previous: { daily: daily[1], weekly: weekly[1], monthly: monthly[1] },
  }));

/** Any state that a row may have, whether or not charges lead to it. */
const states = fc
  .record({
    topUpNanoUsd: amount,
    total: spend,
    recent: recentWindows,
    reserved: fc.record({ creditNanoUsd: amount, byokNanoUsd: amount, sumNanoUsd: amount }),
  })
  .map(({ recent, ...sums }): BalanceDelta => ({ ...sums, ...recent }));

const deltas = fc.shuffledSubarray(INSTANTS, { maxLength: 3 }).chain(deltasAt);

/** In memory; null where the windows that count are not kept any more, which decisions take for nothing. */
function inMemory(
  { kind, interval, start }: Omit<BalanceSelector, 'subject'>,
  balance: Balance,
): bigint | null {
  const isLost =
    BALANCE_VALUES[kind].windows === 'exactly' &&
    interval !== null &&
    windowAt(balance, interval, start) === undefined;
  return isLost ? null : balanceValue({ subject: balance.subject, kind, interval, start }, balance);
}

describe.each(DATABASE_KINDS)('a balance on %s', (kind) => {
  it('has in SQL the values that it has in memory, whatever its state', async () => {
    const { query, transactWithLocks } = await withDatabase(kind);
    let count = 0;
    await fc.assert(
      fc.asyncProperty(states, async (state) => {
        const balance: Balance = { subject: `s-${++count}`, ...state };
        const write = query.insertInto('spend_total').values(wholeTotalRow(balance)).compile();
        await transactWithLocks([], async () => ({ result: undefined, writes: [write] }));
        const selected = SELECTORS.map(({ kind: one, interval, start }) => {
          const text = balanceValueSql({
            kind: `'${one}'`,
            interval: `'${interval ?? NO_INTERVAL}'`,
            start: String(start),
          });
          return sql`cast(${sql.raw(text)} as text)`;
        });
        const found = await sql<{ values_text: string }>`
          select ${sql.join(
            selected.map((value) => sql`coalesce(${value}, 'null')`),
            sql` || ' ' || `,
          )} as values_text
          from spend_total as t where t.subject = ${balance.subject}`.execute(query);
        const [row] = found.rows;
        expect(row?.values_text.split(' ')).toEqual(
          SELECTORS.map((selector) => String(inMemory(selector, balance))),
        );
      }),
      RUNS,
    );
  });

  it('becomes in SQL what it becomes in memory, whatever its state and what is added', async () => {
    const { query, transactWithLocks } = await withDatabase(kind);
    const write = createDeltaWriter(query);
    let count = 0;
    await fc.assert(
      fc.asyncProperty(states, fc.array(deltas, { minLength: 1, maxLength: 3 }), async (state, added) => {
        const balance: Balance = { subject: `s-${++count}`, ...state };
        const insert = query.insertInto('spend_total').values(wholeTotalRow(balance)).compile();
        const writes = added.flatMap((delta) => write(new Map([[balance.subject, delta]])));
        await transactWithLocks([], async () => ({ result: undefined, writes: [insert, ...writes] }));
        const stored = query.selectFrom('spend_total').selectAll().where('subject', '=', balance.subject);
        const found = balanceOf(await stored.executeTakeFirstOrThrow());
        expect(found).toEqual(added.reduce<Balance>(applyDelta, balance));
      }),
      RUNS,
    );
  });
});
