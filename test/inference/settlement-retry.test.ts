import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { GenerationStore, UnsettledGeneration } from '../../src/inference/ports/generation.js';
import { retrySettlement } from '../../src/inference/settlement/settlement.js';
import { NO_SETTLEMENT } from '../../src/ledger/settlement.js';

const generation = (id: string) => ({ id, accountId: 'account' }) as UnsettledGeneration;

/** A store whose database is unavailable until `isUnavailable` is false. */
function failingStore() {
  const settled: string[] = [];
  const logged: string[] = [];
  const state = { isUnavailable: true, commitsSilently: false };
  const store: Pick<GenerationStore, 'settle' | 'find'> = {
    async settle({ id }) {
      if (state.isUnavailable && !state.commitsSilently) throw new Error('away');
      if (settled.includes(id)) throw new Error('recorded already');
      settled.push(id);
      if (state.isUnavailable) throw new Error('connection lost while committing');
      return NO_SETTLEMENT;
    },
    async find(id) {
      if (state.isUnavailable) throw new Error('away');
      return settled.includes(id) ? ({ id } as never) : undefined;
    },
  };
  const log = { error: (_fields: object, message: string) => void logged.push(message) };
  return { settled, logged, state, settling: retrySettlement(store, log) };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('a failed settlement', () => {
  it('is reported at once, and retried once the database is back', async () => {
    const { settled, logged, state, settling } = failingStore();
    await expect(settling.settle(generation('a'), null)).rejects.toThrow('away');
    await expect(settling.settle(generation('b'), null)).rejects.toThrow('away');
    await vi.advanceTimersByTimeAsync(5_000);
    expect(settled).toEqual([]);
    state.isUnavailable = false;
    await vi.advanceTimersByTimeAsync(1_000);
    expect(settled).toEqual(['a', 'b']);
    expect(logged).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(settled).toEqual(['a', 'b']);
  });

  it('is settled once, also when a commit succeeded but was reported as failed', async () => {
    const { settled, state, settling } = failingStore();
    state.commitsSilently = true;
    await expect(settling.settle(generation('a'), null)).rejects.toThrow('connection lost');
    Object.assign(state, { isUnavailable: false, commitsSilently: false });
    await vi.advanceTimersByTimeAsync(1_000);
    await settling.close();
    expect(settled).toEqual(['a']);
  });

  it('is retried a last time when the gateway closes, and reported when it is lost', async () => {
    const lost = failingStore();
    await expect(lost.settling.settle(generation('a'), null)).rejects.toThrow('away');
    await lost.settling.close();
    expect(lost.logged.at(-1)).toBe('a request was never settled');
    const saved = failingStore();
    await expect(saved.settling.settle(generation('a'), null)).rejects.toThrow('away');
    saved.state.isUnavailable = false;
    await saved.settling.close();
    expect(saved.settled).toEqual(['a']);
  });
});
