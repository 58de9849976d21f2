import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { lookUpTogether } from '../../src/store/query/look-up-together.js';

interface Row {
  readonly key: string;
  readonly value: number;
}

const ROWS: readonly Row[] = [
  { key: 'a', value: 1 },
  { key: 'b', value: 2 },
  { key: 'a', value: 3 },
];

function lookUpOver(rows: readonly Row[]) {
  const read = vi.fn(async (keys: readonly string[]) => rows.filter(({ key }) => keys.includes(key)));
  return { read, lookUp: lookUpTogether(read, ({ key }) => key) };
}

describe('keys that are looked up in one turn of the event loop', () => {
  test('are read with one query, each once, and each gets its own rows', async () => {
    const { read, lookUp } = lookUpOver(ROWS);
    const found = await Promise.all([lookUp('a'), lookUp('b'), lookUp('nobody'), lookUp('a')]);
    expect(found.map((rows) => rows.map(({ value }) => value))).toEqual([[1, 3], [2], [], [1, 3]]);
    expect(read.mock.calls).toEqual([[['a', 'b', 'nobody']]]);
  });

  test('are read anew in another turn', async () => {
    const { read, lookUp } = lookUpOver(ROWS);
    await lookUp('a');
    await turn();
    await lookUp('a');
    expect(read).toHaveBeenCalledTimes(2);
  });

  test('are read with a few queries where there are many', async () => {
    const rows = Array.from({ length: 150 }, (_, value) => ({ key: `key-${value}`, value }));
    const { read, lookUp } = lookUpOver(rows);
    const found = await Promise.all(rows.map(({ key }) => lookUp(key)));
    expect(found).toEqual(rows.map((row) => [row]));
    expect(read).toHaveBeenCalledTimes(3);
  });

  test('all fail where the query fails, and are read again when they are asked for again', async () => {
    const { read, lookUp } = lookUpOver(ROWS);
    read.mockRejectedValueOnce(new Error('away'));
    const outcomes = await Promise.allSettled([lookUp('a'), lookUp('b')]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await lookUp('b')).toEqual([{ key: 'b', value: 2 }]);
  });
});
