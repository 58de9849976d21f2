import { describe, expect, it, vi } from 'vitest';
import { Deadlines } from '../../../src/inference/attempts/deadlines.js';
import { deltasOf, LLAMA, startTable, textIn } from './adapter.fixture.js';

const TOOLS = [
  { type: 'function', function: { name: 'look', parameters: { type: 'object', properties: {} } } },
];
const AT_LLAMA = { model: LLAMA, body: { tools: TOOLS } };

describe('a stream of a model that takes tools in one piece alone', () => {
  it('is made of the whole answer: words, calls, finish, usage', async () => {
    const { fake, stream } = await startTable();
    fake.plan(LLAMA, {
      words: ['Let ', 'me look'],
      calls: [{ id: 'c', name: 'look', input: { at: 1 } }],
    });
    const { events, thrown } = await stream(AT_LLAMA);
    expect(thrown).toBeUndefined();
    expect(fake.requests.map(({ path }) => path)).toEqual([expect.stringMatching(/\/converse$/)]);
    expect(textIn(events)).toBe('Let me look');
    expect(deltasOf(events).flatMap(({ tool_calls }) => tool_calls ?? [])).toMatchObject([
      { index: 0, function: { name: 'look', arguments: '{"at":1}' } },
    ]);
    expect(events.slice(-2)).toMatchObject([
      { type: 'finish', reason: 'tool_calls' },
      { type: 'usage', usage: { completionTokens: expect.any(Number) } },
    ]);
  });

  it('comes in pieces where no tool is used', async () => {
    const { fake, stream } = await startTable();
    await stream({ model: LLAMA });
    expect(fake.requests[0]?.path).toMatch(/\/converse-stream$/);
  });

  it('is asked for in one piece where only the history used tools', async () => {
    const { fake, stream } = await startTable();
    const { thrown } = await stream({
      model: LLAMA,
      body: {
        messages: [
          { role: 'user', content: 'Look' },
          {
            role: 'assistant',
            content: null,
            tool_calls: [{ id: 'a', type: 'function', function: { name: 'look', arguments: '{}' } }],
          },
          { role: 'tool', tool_call_id: 'a', content: 'Snow' },
        ],
      },
    });
    expect(thrown).toBeUndefined();
    expect(fake.requests[0]?.path).toMatch(/\/converse$/);
  });

  it('is refused as a stream is', async () => {
    const { fake, stream } = await startTable();
    fake.plan(LLAMA, { status: 429, body: { message: 'Too many requests' } });
    const { events, thrown } = await stream(AT_LLAMA);
    expect(events).toEqual([]);
    expect(thrown).toMatchObject({ status: 429 });
  });

  it('tells that its first byte comes with its end, before it is asked for', async () => {
    const { fake, adapter, call } = await startTable();
    const onWhole = vi.fn(() => expect(fake.requests).toEqual([]));
    for await (const _ of adapter.stream({ ...call(AT_LLAMA), onWhole }));
    expect(onWhole).toHaveBeenCalledOnce();
    for await (const _ of adapter.stream({ ...call({ model: LLAMA }), onWhole }));
    expect(onWhole).toHaveBeenCalledOnce();
  });
});

describe('the timeouts of a stream that is asked for in one piece', () => {
  const TIMEOUTS = { firstByteMs: 20, firstTokenMs: 20, idleMs: 20, totalMs: 60 };
  const begin = () => {
    const deadlines = new Deadlines(new AbortController().signal, TIMEOUTS, undefined, true);
    return { deadlines, signal: deadlines.begin() };
  };

  it('are the total one alone', () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    try {
      const { deadlines, signal } = begin();
      deadlines.inOnePiece();
      vi.advanceTimersByTime(50);
      expect(signal.aborted).toBe(false);
      vi.advanceTimersByTime(20);
      expect(deadlines.abortedWith?.message).toContain('longer than 60 ms');
      deadlines.end();
    } finally {
      vi.useRealTimers();
    }
  });

  it('are its own where it comes in pieces', () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    try {
      const { deadlines } = begin();
      vi.advanceTimersByTime(25);
      expect(deadlines.abortedWith?.message).toContain('within 20 ms');
      deadlines.end();
    } finally {
      vi.useRealTimers();
    }
  });
});
