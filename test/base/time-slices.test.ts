import { setImmediate as nextIteration } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { runInSlices, yieldAfterSlice } from '../../src/base/time-slices.js';

/** Keeps the processor busy for so long, in steps of a millisecond. */
function* busy(milliseconds: number): Generator<void, number> {
  let steps = 0;
  for (; steps < milliseconds; steps += 1) {
    const until = performance.now() + 1;
    while (performance.now() < until);
    yield;
  }
  return steps;
}

it('however many works run in slices, each iteration of the event loop runs one of them', async () => {
  const works = Array.from({ length: 20 }, async () => runInSlices(busy(60)));
  let isOver = false;
  const all = Promise.all(works).finally(() => {
    isOver = true;
  });
  const pauses: number[] = [];
  for (let at = performance.now(); !isOver; ) {
    await nextIteration();
    pauses.push(performance.now() - at);
    at = performance.now();
  }
  expect(await all).toEqual(works.map(() => 60));
  // The first slices of all 20 ran when they came; a slice of each would be 200 ms.
  const [median = Infinity] = pauses.toSorted((a, b) => a - b).slice(pauses.length / 2);
  expect(pauses.length).toBeGreaterThan(50);
  expect(median).toBeLessThan(60);
});

it('works take turns: what is short ends before what is long, though it came later', async () => {
  const ended: string[] = [];
  const run = async (name: string, milliseconds: number) => {
    await runInSlices(busy(milliseconds));
    ended.push(name);
  };
  await Promise.all([...Array.from({ length: 5 }, () => run('long', 120)), run('short', 25)]);
  expect(ended).toEqual(['short', 'long', 'long', 'long', 'long', 'long']);
});

it('a pause after a slice is a turn too, and none within one', async () => {
  const now = performance.now();
  expect(await yieldAfterSlice(now)).toBe(now);
  expect(await yieldAfterSlice(now - 100)).toBeGreaterThanOrEqual(now);
});
