import { describe, expect, it } from 'vitest';
import { nextOffset } from '../../src/dashboard/base/every-page.js';
import { daysUntil, durationText } from '../../src/dashboard/base/time.js';
import { matching } from '../../src/dashboard/pages/models/search.js';
import { sumByDay, sumOf, top } from '../../src/dashboard/pages/overview/usage.js';

const row = (date: string, model: string, usage: number, byokUsage = 0) => ({
  date,
  model,
  usage,
  byokUsage,
  requests: 1,
  promptTokens: 10n,
  completionTokens: 5n,
});

const ROWS = [
  row('2026-03-01', 'x', 0.1),
  row('2026-03-01', 'y', 0.2, 0.7),
  row('2026-03-03', 'x', 0.000000001),
];

describe('sums of usage', () => {
  it('are exact', () => {
    expect(sumOf(ROWS)).toEqual({
      requests: 3,
      tokens: 45n,
      usageNanoUsd: 300_000_001n,
      byokNanoUsd: 700_000_000n,
    });
  });

  it('have every day of the span, also those without requests', () => {
    const days = daysUntil(Date.UTC(2026, 2, 3, 23, 59), 4);
    expect(days).toEqual(['2026-02-28', '2026-03-01', '2026-03-02', '2026-03-03']);
    const byDay = sumByDay(ROWS, days);
    expect(byDay.map(({ sum }) => sum.usageNanoUsd)).toEqual([0n, 300_000_000n, 0n, 1n]);
  });

  it('begin with the most expensive, own keys included', () => {
    expect(top(ROWS, ({ model }) => model, 8).map(({ group }) => group)).toEqual(['y', 'x']);
    expect(top(ROWS, ({ model }) => model, 1)).toHaveLength(1);
  });
});

describe('lists are read to their end', () => {
  const page = (records: number, totalCount: number) => ({
    data: Array.from({ length: records }),
    totalCount,
  });

  it('page after page', () => {
    expect(nextOffset([page(100, 250)], 1_000)).toBe(100);
    expect(nextOffset([page(100, 250), page(100, 250)], 1_000)).toBe(200);
    expect(nextOffset([page(100, 250), page(100, 250), page(50, 250)], 1_000)).toBeUndefined();
  });

  it('but no further than requested, and not in circles when records go away meanwhile', () => {
    expect(nextOffset([page(100, 250)], 100)).toBeUndefined();
    expect(nextOffset([page(100, 250), page(0, 250)], 1_000)).toBeUndefined();
  });
});

it('a search wants every word, in any case and order', () => {
  const models = [
    { id: 'openai/gpt-4o', name: 'GPT-4o' },
    { id: 'openai/gpt-4o-mini', name: 'GPT-4o mini' },
  ];
  expect(matching(models, ' MINI openai ').map(({ id }) => id)).toEqual(['openai/gpt-4o-mini']);
  expect(matching(models, '')).toHaveLength(2);
  expect(matching(models, 'claude')).toEqual([]);
});

it('durations are short', () => {
  expect([durationText(0), durationText(999), durationText(12_345)]).toEqual(['0 ms', '999 ms', '12.3 s']);
});
