import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  type SentStream,
  StreamJournal,
  type Unsettled,
} from '../../src/inference/settlement/stream-journal.js';
import { unsettledGeneration } from '../store/spending.js';

/** A stream that has sent so much. */
function sending(id: string): SentStream & { characters: number } {
  return {
    characters: 1,
    soFar(): Unsettled {
      return { generation: unsettledGeneration(id, { completionTokens: this.characters }), charge: null };
    },
  };
}

/** A journal over a store that can fail and wait. */
function journalWith(note: (entries: readonly Unsettled[]) => Promise<void> = async () => {}) {
  const writes: { id: string; characters: number }[][] = [];
  const dropped: string[] = [];
  const logged: string[] = [];
  const store = {
    async note(entries: readonly Unsettled[]) {
      writes.push(
        entries.map(({ generation }) => ({ id: generation.id, characters: generation.completionTokens })),
      );
      await note(entries);
    },
    async drop(ids: readonly string[]) {
      dropped.push(...ids);
    },
  };
  const journal = new StreamJournal(store, { error: (_, message) => logged.push(message) });
  return { journal, writes, dropped, logged };
}

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
afterEach(() => void vi.useRealTimers());

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

describe('the journal of streams', () => {
  it('never notes a stream of half a second, and keeps no timer when none is sent', async () => {
    const { journal, writes } = journalWith();
    for (let count = 0; count < 20; count++) {
      const leave = journal.follow(sending(`gen-${count}`));
      await pass(count % 2 === 0 ? 499 : 10);
      leave();
    }
    await pass(5_000);
    expect(writes).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('notes a stream within a second of its begin and then once a second, all that are due in one write', async () => {
    const { journal, writes } = journalWith();
    const streams = ['a', 'b', 'c'].map(sending);
    for (const stream of streams) journal.follow(stream);
    for (let tick = 0; tick < 40; tick++) {
      await pass(100);
      for (const stream of streams) stream.characters += 1;
    }
    expect(writes.map((write) => write.map(({ id }) => id))).toEqual(Array(4).fill(['a', 'b', 'c']));
    for (const [index, [first]] of writes.entries()) {
      expect(first?.characters).toBeGreaterThanOrEqual(10 * (index + 1));
    }
  });

  it('whenever a stream begins, at most a second of it is missing', async () => {
    for (let begin = 0; begin < 1_000; begin += 130) {
      const { journal, writes } = journalWith();
      journal.follow(sending('other'));
      await pass(begin);
      const stream = sending('late');
      journal.follow(stream);
      for (let ms = 0; ms < 4_000; ms += 10) {
        stream.characters = ms;
        await pass(10);
        const noted =
          writes
            .flat()
            .filter(({ id }) => id === 'late')
            .at(-1)?.characters ?? 0;
        expect(ms - noted).toBeLessThanOrEqual(1_010);
      }
      await journal.close();
    }
  });

  it('does not note again what has sent nothing more', async () => {
    const { journal, writes } = journalWith();
    journal.follow(sending('a'));
    await pass(10_000);
    expect(writes).toHaveLength(1);
  });

  it('drops its note of a stream that was settled while it was written', async () => {
    let written = () => {};
    const { journal, dropped } = journalWith(
      () =>
        new Promise((resolve) => {
          written = resolve;
        }),
    );
    const leave = journal.follow(sending('a'));
    journal.follow(sending('b'));
    await pass(1_000);
    leave();
    written();
    await pass(1);
    expect(dropped).toEqual(['a']);
  });

  it('that can not be written harms no stream, is logged once, and tries again', async () => {
    let isFull = true;
    const { journal, writes, logged } = journalWith(async () => {
      if (isFull) throw new Error('disk full');
    });
    const stream = sending('a');
    journal.follow(stream);
    await pass(5_000);
    expect(logged).toHaveLength(1);
    isFull = false;
    await pass(1_000);
    const count = writes.length;
    await pass(5_000);
    expect(writes).toHaveLength(count);
    isFull = true;
    stream.characters += 1;
    await pass(1_000);
    expect(logged).toHaveLength(2);
  });

  it('waits for a write that hangs instead of adding others', async () => {
    const { journal, writes } = journalWith(() => new Promise(() => {}));
    const stream = sending('a');
    journal.follow(stream);
    for (let second = 0; second < 10; second++) {
      stream.characters += 1;
      await pass(1_000);
    }
    expect(writes).toHaveLength(1);
  });
});
