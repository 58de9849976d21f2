import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createReadiness, type ReadinessDependencies } from '../../src/server/health/readiness.js';

const SECOND = 1_000;

describe('readiness (interface sections 4 and 9)', () => {
  let isUp: boolean;
  let looks: number;

  beforeEach(() => {
    vi.useFakeTimers();
    isUp = true;
    looks = 0;
  });

  afterEach(() => vi.useRealTimers());

  const readinessOf = (parts: Partial<ReadinessDependencies> = {}) =>
    createReadiness({
      draining: () => false,
      check: async () => {
        looks += 1;
        if (!isUp) throw new Error('away');
      },
      ...parts,
    });

  it('is there while the check succeeds, and is not while it fails or the server is on its way down', async () => {
    let isDraining = false;
    const readiness = readinessOf({ draining: () => isDraining });
    expect(await readiness.isReady()).toBe(true);
    isUp = false;
    expect(await readiness.isReady()).toBe(false);
    isUp = true;
    isDraining = true;
    expect(await readiness.isReady()).toBe(false);
    isDraining = false;
    readiness.end();
    expect(await readiness.isReady()).toBe(false);
    expect(readiness.shutdownSignal.aborted).toBe(true);
  });

  it('many who ask at once share a look', async () => {
    const readiness = readinessOf();
    const answers = await Promise.all(Array.from({ length: 100 }, () => readiness.isReady()));
    expect(new Set(answers)).toEqual(new Set([true]));
    expect(looks).toBe(1);
    await readiness.isReady();
    expect(looks).toBe(2);
  });

  it('looks by itself only while somebody watches, once a second for all, and tells of changes', async () => {
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
});
