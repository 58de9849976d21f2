import { describe, expect, it } from 'vitest';
import { retryAfterMs } from '../../src/providers/common/retry-after.js';

const NOW = Date.UTC(2026, 0, 5, 12, 30);
const DAY_MS = 24 * 60 * 60 * 1000;

describe('the wait that a provider asks for', () => {
  it.each<[Record<string, string>, number | null]>([
    [{}, null],
    [{ 'retry-after': '2' }, 2000],
    [{ 'retry-after': '0' }, 0],
    [{ 'retry-after': '0.25' }, 250],
    [{ 'retry-after-ms': '1499.2' }, 1500],
    [{ 'retry-after-ms': '100', 'retry-after': '7' }, 100],
    [{ 'retry-after-ms': 'soon', 'retry-after': '7' }, 7000],
    [{ 'retry-after': 'Mon, 05 Jan 2026 12:30:30 GMT' }, 30_000],
    [{ 'retry-after': 'Mon, 05 Jan 2026 12:00:00 GMT' }, 0],
    [{ 'retry-after': 'Mon, 05 Jan 2099 12:00:00 GMT' }, DAY_MS],
    [{ 'retry-after': '86400000000' }, DAY_MS],
    [{ 'retry-after': '-3' }, null],
    [{ 'retry-after': '1e3' }, null],
    [{ 'retry-after': '' }, null],
    [{ 'retry-after': 'NaN' }, null],
    [{ 'x-should-retry': 'true' }, null],
  ])('%j: %s ms', (headers, wait) => {
    expect(retryAfterMs(headers, NOW)).toBe(wait);
  });
});
