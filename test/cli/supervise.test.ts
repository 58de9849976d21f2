import { expect, test } from 'vitest';
import { pauseAfter } from '../../src/cli/start/supervise.js';

test('workers that keep dying are replaced ever more slowly, within half a minute', () => {
  expect([1, 2, 3, 7, 8, 60].map(pauseAfter)).toEqual([250, 500, 1000, 16_000, 30_000, 30_000]);
});
