import { describe, expect, it, vi } from 'vitest';
import { type Signal, SignalSource } from '../../src/base/signal.js';

/** Both implementations. */
const KINDS: [string, () => { signal: Signal; abort: (reason: unknown) => void }][] = [
  [
    'a SignalSource',
    () => {
      const source = new SignalSource();
      return { signal: source, abort: (reason) => source.abort(reason) };
    },
  ],
  [
    'an AbortSignal',
    () => {
      const controller = new AbortController();
      return { signal: controller.signal, abort: (reason) => controller.abort(reason) };
    },
  ],
];

describe.each(KINDS)('%s', (_, make) => {
  it('calls each listener once, when it is aborted', () => {
    const { signal, abort } = make();
    const [first, second] = [vi.fn(), vi.fn()];
    signal.addEventListener('abort', first);
    signal.addEventListener('abort', second);
    expect(signal.aborted).toBe(false);
    abort('one');
    abort('two');
    expect(first).toHaveBeenCalledTimes(1);
    expect(second).toHaveBeenCalledTimes(1);
    expect(signal.aborted).toBe(true);
    expect(signal.reason).toBe('one');
  });

  it('calls no listener that was removed, or added after the abort', () => {
    const { signal, abort } = make();
    const [removed, late] = [vi.fn(), vi.fn()];
    signal.addEventListener('abort', removed);
    signal.removeEventListener('abort', removed);
    abort('one');
    signal.addEventListener('abort', late);
    expect(removed).not.toHaveBeenCalled();
    expect(late).not.toHaveBeenCalled();
  });

  it('throws its reason once it is aborted', () => {
    const { signal, abort } = make();
    expect(() => signal.throwIfAborted()).not.toThrow();
    const reason = new Error('gone');
    abort(reason);
    expect(() => signal.throwIfAborted()).toThrow(reason);
  });
});
