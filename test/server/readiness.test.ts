import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createReadiness, type ReadinessDependencies } from '../../src/server/health/readiness.js';
import { SeededRandom } from '../ledger/recompute/seeded-random.js';

const SECOND = 1_000;

describe('readiness', () => {
  let isUp: boolean;
  let looks: number;

  beforeEach(() => {
    vi.useFakeTimers();
    isUp = true;
    looks = 0;
  });

  afterEach(() => vi.useRealTimers());

  const readinessOf = (dependencies: Partial<ReadinessDependencies> = {}) =>
    createReadiness({
      draining: () => false,
      check: async () => {
        looks += 1;
        if (!isUp) throw new Error('away');
      },
      ...dependencies,
    });

  it('is true while the check succeeds, and false while it fails or the server drains', async () => {
    let isDraining = false;
    const readiness = readinessOf({ draining: () => isDraining });
    expect(await readiness.isReady()).toBe(true);
    isUp = false;
    await vi.advanceTimersByTimeAsync(SECOND);
    expect(await readiness.isReady()).toBe(false);
    isUp = true;
    await vi.advanceTimersByTimeAsync(SECOND);
    expect(await readiness.isReady()).toBe(true);
    isDraining = true;
    expect(await readiness.isReady()).toBe(false);
    isDraining = false;
    readiness.end();
    expect(await readiness.isReady()).toBe(false);
    expect(readiness.shutdownSignal.aborted).toBe(true);
  });

  it('is asked at most once a second, however many ask and however often', async () => {
    const readiness = readinessOf();
    const answers = await Promise.all(Array.from({ length: 100 }, () => readiness.isReady()));
    expect(new Set(answers)).toEqual(new Set([true]));
    expect(looks).toBe(1);
    for (let asked = 0; asked < 1_000; asked++) await readiness.unreadiness();
    expect(looks).toBe(1);
    await vi.advanceTimersByTimeAsync(SECOND - 1);
    await readiness.isReady();
    expect(looks).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    await readiness.isReady();
    expect(looks).toBe(2);
  });

  it('checks by itself only while it is watched, once a second for all, and notifies of changes', async () => {
    const readiness = readinessOf();
    await vi.advanceTimersByTimeAsync(10 * SECOND);
    expect(looks).toBe(0);

    const listeners = [vi.fn(), vi.fn()];
    const leaves = listeners.map((listener) => readiness.onChange(listener));
    await vi.advanceTimersByTimeAsync(10 * SECOND);
    expect(looks).toBe(10);
    for (const listener of listeners) listener.mockClear();
    isUp = false;
    await vi.advanceTimersByTimeAsync(3 * SECOND);
    isUp = true;
    await vi.advanceTimersByTimeAsync(3 * SECOND);
    for (const listener of listeners) expect(listener).toHaveBeenCalledTimes(2);

    for (const leave of leaves) leave();
    await vi.advanceTimersByTimeAsync(10 * SECOND);
    expect(looks).toBe(16);
  });

  it('leaves no watcher with what is not so any more, whenever it began, however long checks take, and when timers are late', async () => {
    const random = new SeededRandom(20_261_127);
    let late = 0;
    const punctual = performance.now.bind(performance);
    vi.spyOn(performance, 'now').mockImplementation(() => punctual() + late);
    for (let round = 0; round < 100; round += 1) {
      let slowest = SECOND;
      const readiness = readinessOf({
        check: async () => {
          const found = isUp;
          await new Promise((resolve) => setTimeout(resolve, random.integer(0, slowest)));
          if (!found) throw new Error('away');
        },
      });
      const seen: Promise<boolean>[] = [];
      const leaves: (() => void)[] = [];
      const watch = (watcher: number) => {
        seen[watcher] = readiness.isReady();
      };
      for (let step = 0; step < 12; step += 1) {
        const watcher = seen.length;
        if (random.chance(0.4)) {
          watch(watcher);
          leaves.push(readiness.onChange(() => watch(watcher)));
        }
        if (random.chance(0.3)) isUp = !isUp;
        if (random.chance(0.3)) void readiness.isReady();
        if (random.chance(0.3)) late += random.integer(0, SECOND);
        await vi.advanceTimersByTimeAsync(random.integer(0, SECOND));
      }
      slowest = 0;
      await vi.advanceTimersByTimeAsync(4 * SECOND);
      expect(await Promise.all(seen), `round ${round}`).toEqual(seen.map(() => isUp));
      for (const leave of leaves) leave();
    }
  });
});
