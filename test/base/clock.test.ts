import { expect, it } from 'vitest';
import { elapsedMs } from '../../src/base/clock.js';

const YEAR_MS = 365 * 24 * 60 * 60 * 1000;

it('a duration can be recorded even when the clock was set meanwhile', () => {
  expect(elapsedMs(1_000, 1_250)).toBe(250);
  expect(elapsedMs(YEAR_MS, 0)).toBe(0);
  expect(elapsedMs(0, YEAR_MS)).toBe(2 ** 31 - 1);
});
