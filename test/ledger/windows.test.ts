import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Interval, windowEnd, windowStart } from '../../src/ledger/balance/windows.js';

const INTERVALS: readonly Interval[] = ['daily', 'weekly', 'monthly'];
const HOUR_MS = 3_600_000;

/** Any instant from 1900 to 2200, and the instants around midnight in particular. */
const instant = fc.oneof(
  fc.integer({ min: Date.UTC(1900, 0), max: Date.UTC(2200, 0) }),
  fc
    .tuple(fc.integer({ min: -20_000, max: 80_000 }), fc.integer({ min: -2, max: 2 }))
    .map(([day, offset]) => day * 24 * HOUR_MS + offset),
);
const interval = fc.constantFrom(...INTERVALS);

describe('windows: UTC day, week from Monday, calendar month', () => {
  test('every instant lies in its window, and windows follow each other without gap or overlap', () => {
    fc.assert(
      fc.property(interval, instant, (interval, now) => {
        const [start, end] = [windowStart(interval, now), windowEnd(interval, now)];
        expect(start).toBeLessThanOrEqual(now);
        expect(end).toBeGreaterThan(now);
        expect(windowStart(interval, start)).toBe(start);
        expect(windowStart(interval, end - 1)).toBe(start);
        expect(windowStart(interval, end)).toBe(end);
        expect(windowEnd(interval, start - 1)).toBe(start);
      }),
    );
  });

  test('every window begins at midnight UTC, and every day has 24 hours', () => {
    fc.assert(
      fc.property(interval, instant, (interval, now) => {
        const start = new Date(windowStart(interval, now));
        expect(start.toISOString()).toMatch(/T00:00:00\.000Z$/);
        expect(windowEnd('daily', now) - windowStart('daily', now)).toBe(24 * HOUR_MS);
      }),
    );
  });

  test('weeks run Monday through Sunday', () => {
    fc.assert(
      fc.property(instant, (now) => {
        expect(new Date(windowStart('weekly', now)).getUTCDay()).toBe(1);
        expect(new Date(windowEnd('weekly', now) - 1).getUTCDay()).toBe(0);
        expect(windowEnd('weekly', now) - windowStart('weekly', now)).toBe(7 * 24 * HOUR_MS);
      }),
    );
  });

  test('months are those of the calendar', () => {
    fc.assert(
      fc.property(instant, (now) => {
        const [date, start] = [new Date(now), new Date(windowStart('monthly', now))];
        expect(start.getUTCDate()).toBe(1);
        expect(start.toISOString().slice(0, 7)).toBe(date.toISOString().slice(0, 7));
      }),
    );
  });

  test.each<[Interval, string, string, string]>([
    ['daily', '2026-03-29T00:59:59.999Z', '2026-03-29', '2026-03-30'],
    ['weekly', '2026-03-01T23:59:59.999Z', '2026-02-23', '2026-03-02'],
    ['weekly', '2026-03-02T00:00:00.000Z', '2026-03-02', '2026-03-09'],
    ['weekly', '1969-12-31T12:00:00.000Z', '1969-12-29', '1970-01-05'],
    ['monthly', '2028-02-29T23:59:59.999Z', '2028-02-01', '2028-03-01'],
    ['monthly', '2026-02-28T23:59:59.999Z', '2026-02-01', '2026-03-01'],
    ['monthly', '2026-01-31T00:00:00.000Z', '2026-01-01', '2026-02-01'],
    ['monthly', '2026-12-31T23:59:59.999Z', '2026-12-01', '2027-01-01'],
  ])('%s at %s: from %s until %s', (interval, now, start, end) => {
    expect(new Date(windowStart(interval, Date.parse(now)))).toEqual(new Date(start));
    expect(new Date(windowEnd(interval, Date.parse(now)))).toEqual(new Date(end));
  });
});
