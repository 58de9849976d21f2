import { describe, expect, it, vi } from 'vitest';
import { BreakableStream, mapStream, PushStream, pushed, type Sink } from '../../src/base/push-stream.js';

/** A stream that its test pushes. */
class Manual<T> extends PushStream<T> {
  sink: Sink<T> | undefined;
  resumed = 0;
  closed = 0;

  pipeTo(sink: Sink<T>): void {
    this.sink = sink;
  }

  resume(): void {
    this.resumed += 1;
  }

  async close(): Promise<void> {
    this.closed += 1;
  }
}

async function* numbers(count: number): AsyncGenerator<number> {
  for (let number = 1; number <= count; number += 1) yield number;
}

const turn = () => new Promise(setImmediate);

describe('a stream that is iterated', () => {
  it('gives what was pushed at once, and asks for more only when that is taken', async () => {
    const source = new Manual<number>();
    const iterator = source[Symbol.asyncIterator]();
    const first = iterator.next();
    expect(source.sink?.take([1, 2])).toBe(false);
    expect([await first, await iterator.next()]).toMatchObject([{ value: 1 }, { value: 2 }]);
    expect(source.resumed).toBe(0);
    const third = iterator.next();
    await turn();
    expect(source.resumed).toBe(1);
    source.sink?.take([3]);
    source.sink?.end();
    expect(await third).toMatchObject({ value: 3 });
    expect(await iterator.next()).toEqual({ value: undefined, done: true });
    expect(source.closed).toBe(1);
  });

  it('gives what came before a failure, then throws it', async () => {
    const source = new Manual<number>();
    const iterator = source[Symbol.asyncIterator]();
    const first = iterator.next();
    source.sink?.take([1]);
    source.sink?.fail(new Error('broken'));
    expect(await first).toMatchObject({ value: 1 });
    await expect(iterator.next()).rejects.toThrow('broken');
    expect(source.closed).toBe(1);
  });

  it('is closed where the iteration ends early', async () => {
    const source = new Manual<number>();
    const iterator = source[Symbol.asyncIterator]();
    const first = iterator.next();
    source.sink?.take([1, 2]);
    await first;
    await iterator.return();
    expect(source.closed).toBe(1);
  });
});

describe('a mapped stream', () => {
  it('passes on what is left of items, and pauses when its sink does', () => {
    const source = new Manual<number>();
    const taken: number[][] = [];
    const even = mapStream(source, { items: (items) => items.filter((item) => item % 2 === 0) });
    even.pipeTo({ take: (items) => taken.push([...items]) < 2, end: vi.fn(), fail: vi.fn() });
    expect([source.sink?.take([1]), source.sink?.take([2, 3]), source.sink?.take([4, 6])]).toEqual([
      true,
      true,
      false,
    ]);
    expect(taken).toEqual([[2], [4, 6]]);
  });

  it('passes on that the end is near', () => {
    const source = new Manual<number>();
    const ending = vi.fn();
    const stream = mapStream(source, { items: (items) => items });
    stream.pipeTo({ take: () => true, ending, end: vi.fn(), fail: vi.fn() });
    source.sink?.take([1]);
    expect(ending).not.toHaveBeenCalled();
    source.sink?.ending?.();
    expect(ending).toHaveBeenCalledOnce();
  });

  it('tells once that it is over, however it ended', async () => {
    for (const end of ['end', 'fail', 'close'] as const) {
      const source = new Manual<number>();
      const closed = vi.fn();
      const sink = { take: () => true, end: vi.fn(), fail: vi.fn() };
      const stream = mapStream(source, { items: (items) => items, closed });
      stream.pipeTo(sink);
      if (end === 'end') source.sink?.end();
      if (end === 'fail') source.sink?.fail(new Error('broken'));
      await stream.close();
      await stream.close();
      expect([end, closed.mock.calls.length]).toEqual([end, 1]);
      expect(sink.end.mock.calls.length + sink.fail.mock.calls.length).toBe(end === 'close' ? 0 : 1);
    }
  });

  it('breaks off, mapped error and all, where the mapping throws', () => {
    const source = new Manual<number>();
    const sink = { take: () => true, end: vi.fn(), fail: vi.fn() };
    const failing = mapStream(source, {
      items: () => {
        throw new Error('no');
      },
      error: (thrown) => `mapped ${thrown}`,
    });
    failing.pipeTo(sink);
    source.sink?.take([1]);
    expect(sink.fail).toHaveBeenCalledExactlyOnceWith('mapped Error: no');
    expect(source.closed).toBe(1);
  });
});

describe('an iterable that is pushed', () => {
  it('comes item by item, no further than the sink takes', async () => {
    const taken: number[] = [];
    const stream = pushed(numbers(3));
    const end = vi.fn();
    stream.pipeTo({ take: (items) => taken.push(...items) !== 2, end, fail: vi.fn() });
    await turn();
    expect(taken).toEqual([1, 2]);
    stream.resume();
    await turn();
    expect(taken).toEqual([1, 2, 3]);
    expect(end).toHaveBeenCalledOnce();
  });

  it('is ended with its closing, and pushes nothing from then on', async () => {
    const ended = vi.fn();
    const endless = async function* () {
      try {
        for (;;) yield 1;
      } finally {
        ended();
      }
    };
    const sink = { take: vi.fn(() => false), end: vi.fn(), fail: vi.fn() };
    const stream = pushed(endless());
    stream.pipeTo(sink);
    await turn();
    await stream.close();
    expect(ended).toHaveBeenCalledOnce();
    await turn();
    expect(sink.take).toHaveBeenCalledOnce();
    expect(sink.end).not.toHaveBeenCalled();
    expect(sink.fail).not.toHaveBeenCalled();
  });
});

describe('a breakable stream', () => {
  /** Has given one item, and nothing more ever. */
  async function* stalling() {
    yield 1;
    await new Promise<never>(() => undefined);
  }

  it('fails its sink at once, whatever the source waits for', async () => {
    const closed = vi.fn();
    const stream = new BreakableStream(pushed(stalling()), closed);
    const read = stream[Symbol.asyncIterator]();
    expect(await read.next()).toEqual({ done: false, value: 1 });
    const next = read.next();
    stream.breakOff(new Error('over'));
    await expect(next).rejects.toThrow('over');
    expect(closed).toHaveBeenCalledOnce();
  });

  it('is over when it is closed before anything was taken of it', async () => {
    const closed = vi.fn();
    await new BreakableStream(new Manual<number>(), closed).close();
    expect(closed).toHaveBeenCalledOnce();
  });

  it('fails a sink that it gets only then', () => {
    const stream = new BreakableStream(pushed(stalling()), () => undefined);
    stream.breakOff('over');
    const fail = vi.fn();
    stream.pipeTo({ take: () => true, end: vi.fn(), fail });
    expect(fail).toHaveBeenCalledWith('over');
  });
});
