import { describe, expect, it } from 'vitest';
import { clockAt } from '../../support/clock.js';
import { guardrail, setLimit, workspaceBudget } from '../../support/limits.js';
import {
  blocked,
  COST_USD,
  countAdmitted,
  expectSettled,
  keyRecord,
  type MoneyGateway,
  mustSucceed,
  startMoneyGateway,
} from '../../support/money.js';

type Interval = 'daily' | 'weekly' | 'monthly';
type Limit = (gateway: MoneyGateway, interval: Interval, usd: number) => Promise<unknown>;

const LIMITS: readonly (readonly [string, Limit])[] = [
  ['a key limit', (gateway, limit_reset, limit) => setLimit(gateway, { limit, limit_reset })],
  ...(['key', 'member', 'default'] as const).map(
    (to) =>
      [
        `a guardrail budget of the ${to}`,
        ((gateway, reset_interval, limit_usd) =>
          guardrail(gateway, { limit_usd, reset_interval }, to)) satisfies Limit,
      ] as const,
  ),
  [
    'a workspace budget',
    async (gateway, interval, limit_usd) => {
      const budgets = `/workspaces/${gateway.workspaceId}/budgets`;
      for (const other of ['daily', 'weekly', 'monthly'])
        await gateway.manage('DELETE', `${budgets}/${other}`);
      return workspaceBudget(gateway, interval, { limit_usd });
    },
  ],
];

/**
 * The last millisecond of a window and the first of the next: ends of months, leap days, weeks across years, a night
 * * with a change of daylight saving time elsewhere. In chronological order, and no window contains two of them.
 */
const BOUNDARIES: readonly (readonly [Interval, string, string])[] = [
  ['monthly', '2026-01-31T23:59:59.999Z', '2026-02-01T00:00:00.000Z'],
  ['daily', '2026-03-04T23:59:59.999Z', '2026-03-05T00:00:00.000Z'],
  ['weekly', '2026-03-22T23:59:59.999Z', '2026-03-23T00:00:00.000Z'],
  ['monthly', '2026-04-30T23:59:59.999Z', '2026-05-01T00:00:00.000Z'],
  ['daily', '2026-10-24T23:59:59.999Z', '2026-10-25T00:00:00.000Z'],
  ['monthly', '2026-12-31T23:59:59.999Z', '2027-01-01T00:00:00.000Z'],
  ['weekly', '2028-01-02T23:59:59.999Z', '2028-01-03T00:00:00.000Z'],
  ['daily', '2028-02-28T23:59:59.999Z', '2028-02-29T00:00:00.000Z'],
  ['monthly', '2032-02-29T23:59:59.999Z', '2032-03-01T00:00:00.000Z'],
];

describe.each(LIMITS)('%s resets', (_, set) => {
  it('at midnight UTC, on Monday, on the first: the first call after it is admitted', async () => {
    const clock = clockAt(0);
    const gateway = await startMoneyGateway({ clock });
    for (const [interval, last, next] of BOUNDARIES) {
      clock.set(last);
      await set(gateway, interval, COST_USD);
      await mustSucceed(gateway.chat('test/paid'));
      for (let count = 0; count < 3; count++) {
        const block = await blocked(gateway.chat('test/paid'));
        expect(block).toMatchObject({ status: 403, interval, resets_at: next });
      }
      clock.set(next);
      await mustSucceed(gateway.chat('test/paid'));
      expect(await blocked(gateway.chat('test/paid'))).toMatchObject({ interval });
    }
    await expectSettled(gateway);
  });
});

it('spend accumulates exactly over a window, and nothing is returned before its end', async () => {
  const clock = clockAt('2026-03-04T00:00:00Z');
  const gateway = await startMoneyGateway({ clock });
  await setLimit(gateway, { limit: 24 * COST_USD, limit_reset: 'daily' });
  for (let hour = 1; hour <= 23; hour++) {
    await mustSucceed(gateway.chat('test/paid'));
    const usage = Number((hour * COST_USD).toFixed(2));
    const limit_remaining = Number(((24 - hour) * COST_USD).toFixed(2));
    expect(await keyRecord(gateway)).toMatchObject({ usage, usage_daily: usage, limit_remaining });
    clock.advance(3_600_000);
  }
  await mustSucceed(gateway.chat('test/paid'));
  for (let minute = 0; minute < 59; minute++) {
    expect(await blocked(gateway.chat('test/paid'))).toMatchObject({ reason: 'key_limit_exceeded' });
    clock.advance(60_000);
  }
  clock.set('2026-03-05T00:00:00Z');
  expect(await keyRecord(gateway)).toMatchObject({ usage: 0.24, usage_daily: 0, limit_remaining: 0.24 });
  await mustSucceed(gateway.chat('test/paid'));
  expect(await keyRecord(gateway)).toMatchObject({ usage: 0.25, usage_daily: 0.01, limit_remaining: 0.23 });
});

describe('limit_reset changed in the middle of a window', () => {
  it('past spend counts in the new window', async () => {
    const clock = clockAt('2026-02-28T12:00:00Z');
    const gateway = await startMoneyGateway({ clock });
    const limit = 2 * COST_USD;
    await setLimit(gateway, { limit, limit_reset: 'monthly' });
    await mustSucceed(gateway.chat('test/paid'));
    clock.set('2026-03-01T12:00:00Z');
    await mustSucceed(gateway.chat('test/paid'));
    // A Wednesday: the week began on Monday, the month on the Sunday before.
    clock.set('2026-03-04T12:00:00Z');
    await mustSucceed(gateway.chat('test/paid'));
    const windows = async (limit_reset: Interval | null) => {
      await setLimit(gateway, { limit_reset });
      return (await keyRecord(gateway)).limit_remaining;
    };
    expect(await windows('monthly')).toBe(0);
    expect(await blocked(gateway.chat('test/paid'))).toMatchObject({ resets_at: '2026-04-01T00:00:00.000Z' });
    expect(await windows('weekly')).toBe(COST_USD);
    expect(await windows('daily')).toBe(COST_USD);
    expect(await windows(null)).toBe(0);
    expect(await blocked(gateway.chat('test/paid'))).toMatchObject({ interval: null, resets_at: null });
    expect(await windows('weekly')).toBe(COST_USD);
    await mustSucceed(gateway.chat('test/paid'));
    expect(await blocked(gateway.chat('test/paid'))).toMatchObject({ resets_at: '2026-03-09T00:00:00.000Z' });
    await expectSettled(gateway);
  });

  it('changing it back and forth grants no further spend', async () => {
    const clock = clockAt('2026-03-04T12:00:00Z');
    const gateway = await startMoneyGateway({ clock });
    await setLimit(gateway, { limit: COST_USD, limit_reset: 'daily' });
    await mustSucceed(gateway.chat('test/paid'));
    for (const limit_reset of ['weekly', 'monthly', null, 'daily'] as const) {
      await setLimit(gateway, { limit_reset });
      expect(await blocked(gateway.chat('test/paid'))).toMatchObject({ interval: limit_reset });
    }
  });
});

it('a request is charged to the window that it began in', async () => {
  const clock = clockAt('2026-03-31T23:59:59.999Z');
  const gateway = await startMoneyGateway({ clock });
  await setLimit(gateway, { limit: COST_USD, limit_reset: 'monthly' });
  const admitted = countAdmitted(gateway);
  const slow = gateway.chat('test/slow', { stream: true });
  await expect.poll(admitted).toBe(1);
  clock.set('2026-04-01T00:00:00.000Z');
  await mustSucceed(slow);
  expect(await keyRecord(gateway)).toMatchObject({ usage: COST_USD, usage_monthly: 0 });
  await mustSucceed(gateway.chat('test/paid'));
  await expectSettled(gateway);
});
