import { describe, expect, it } from 'vitest';
import { clockAt } from '../../support/clock.js';
import { temporaryDatabaseUrl, usualKind } from '../../support/database.js';
import { guardrail, setLimit, workspaceBudget } from '../../support/limits.js';
import {
  blocked,
  COST_USD,
  expectSettled,
  keyRecord,
  type MoneyGateway,
  mustSucceed,
  startMoneyGateway,
} from '../../support/money.js';

const DAY_MS = 86_400_000;
/** A Wednesday, whose month began in another week. */
const NOW = Date.UTC(2026, 2, 18, 12);

const INTERVALS = ['daily', 'weekly', 'monthly'] as const;
type Interval = (typeof INTERVALS)[number];

const NEXT_WINDOW: Record<Interval, number> = {
  daily: Date.UTC(2026, 2, 19),
  weekly: Date.UTC(2026, 2, 23),
  monthly: Date.UTC(2026, 3, 1),
};

const LIMIT = 5;

type SetLimit = (gateway: MoneyGateway, interval: Interval) => Promise<unknown>;

const LIMITS: readonly [string, readonly Interval[], SetLimit][] = [
  [
    'a key limit',
    INTERVALS,
    (gateway, limit_reset) => setLimit(gateway, { limit: LIMIT * COST_USD, limit_reset }),
  ],
  [
    'a budget of a key',
    ['daily'],
    (gateway, reset_interval) => guardrail(gateway, { limit_usd: LIMIT * COST_USD, reset_interval }, 'key'),
  ],
  [
    'a budget of a member',
    ['weekly'],
    (gateway, reset_interval) =>
      guardrail(gateway, { limit_usd: LIMIT * COST_USD, reset_interval }, 'member'),
  ],
  [
    'a workspace budget',
    ['monthly'],
    (gateway, interval) => workspaceBudget(gateway, interval, { limit_usd: LIMIT * COST_USD }),
  ],
];

/** When requests are made, one for each instant, before the clock is right. */
const PASTS: readonly [string, readonly number[]][] = [
  ['ahead by a day, then right', [1, 1]],
  ['ahead by a month, then right', [31, 31]],
  ['ahead by a year, then right', [365, 365]],
  ['ahead in two days, weeks and months, then right', [40, 40, 80]],
  ['right, then ahead', [0, 0, 31]],
  ['ahead, right, then ahead in another window', [31, 0, 62]],
];

async function spend(gateway: MoneyGateway, count: number): Promise<void> {
  for (let index = 0; index < count; index++) await mustSucceed(gateway.chat('test/paid'));
}

describe.each(LIMITS)('%s', (_, intervals, limit) => {
  it.each(PASTS)('holds, and resets at the next window, where a clock was %s', async (_past, days) => {
    for (const interval of intervals) {
      const clock = clockAt(NOW);
      const gateway = await startMoneyGateway({ clock });
      for (const ahead of days) {
        clock.set(NOW + ahead * DAY_MS);
        await spend(gateway, 1);
      }
      clock.set(NOW);
      await limit(gateway, interval);
      await spend(gateway, LIMIT - days.length);
      expect(await blocked(gateway.chat('test/paid'))).toMatchObject({ status: 403, interval });
      clock.set(NEXT_WINDOW[interval]);
      await spend(gateway, LIMIT);
      expect(await blocked(gateway.chat('test/paid'))).toMatchObject({ status: 403, interval });
      await expectSettled(gateway);
    }
  });

  it.each([1, 7, 31])(
    'holds while the clock is set back by %i days, and when it is right again',
    async (days) => {
      for (const interval of intervals) {
        const clock = clockAt(NOW - 40 * DAY_MS);
        const gateway = await startMoneyGateway({ clock });
        for (const before of [40, 2, 1, 0, 0]) {
          clock.set(NOW - before * DAY_MS);
          await spend(gateway, 1);
        }
        await limit(gateway, interval);
        const before = await spentNow(gateway, interval);
        clock.set(NOW - days * DAY_MS);
        let made = 0;
        while (made < LIMIT - before && (await gateway.chat('test/paid')).status === 200) made += 1;
        expect(await blocked(gateway.chat('test/paid'))).toMatchObject({ status: 403, interval });
        clock.set(NOW);
        expect(await spentNow(gateway, interval)).toBe(before + made);
        await spend(gateway, LIMIT - before - made);
        expect(await blocked(gateway.chat('test/paid'))).toMatchObject({ status: 403, interval });
        await expectSettled(gateway);
      }
    },
  );
});

async function spentNow(gateway: MoneyGateway, interval: Interval): Promise<number> {
  return Math.round(Number((await keyRecord(gateway))[`usage_${interval}`]) / COST_USD);
}

describe.runIf(usualKind() === 'postgres')('of two gateways on one database, one is ahead', () => {
  it.each([
    ['first', [1, 1, 0]],
    ['in between', [0, 1, 0]],
    ['last', [0, 0, 1]],
  ])('by a day or a month, and charges %s: the limit of the other holds', async (_, order) => {
    for (const [days, interval] of [
      [1, 'daily'],
      [31, 'monthly'],
    ] as const) {
      const env = {
        BYWAY_DATABASE_URL: await temporaryDatabaseUrl('postgres'),
        BYWAY_MASTER_KEY: Buffer.alloc(32, 1).toString('base64'),
      };
      const right = await startMoneyGateway({ env, clock: clockAt(NOW) });
      const fast = await startMoneyGateway({ env, clock: clockAt(NOW + days * DAY_MS) });
      await setLimit(right, { limit: LIMIT * COST_USD, limit_reset: interval });
      for (const isFast of order) {
        await mustSucceed((isFast === 1 ? fast : right).chat('test/paid', {}, right.apiKey));
      }
      await spend(right, LIMIT - order.length);
      expect(await blocked(right.chat('test/paid'))).toMatchObject({ status: 403, interval });
      await expectSettled(right);
    }
  });
});
