import { type CompiledQuery, type Kysely, sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { MAX_WAITING_READS } from '../../src/store/engine/fair-reads.js';
import type { Tables } from '../../src/store/schema/schema.js';
import { DATABASE_KINDS, withDatabase } from '../support/database.js';

/** Counts for some milliseconds. */
const SLOW = sql<{ count: number }>`
  with recursive counted(n) as (select 1 union all select n + 1 from counted where n < 10000)
  select count(*) as count from counted`;

/** Reads so often at once; what each came to, in the order in which they ended. */
function read(db: Kysely<Tables>, name: string, times: number, ended: string[]): Promise<unknown>[] {
  return Array.from({ length: times }, () =>
    SLOW.execute(db).then(
      () => ended.push(name),
      (thrown) => ended.push(`${name} ${thrown.reason}`),
    ),
  );
}

describe.each(DATABASE_KINDS)('lists and reports on %s', (kind) => {
  test.each(['lists', 'reports'] as const)(
    'are read account by account: nobody waits for all %s that another one has asked for',
    async (which) => {
      const database = await withDatabase(kind);
      const ended: string[] = [];
      const all = [
        ...read(database[which]('hostile'), 'hostile', 60, ended),
        ...read(database[which]('b'), 'b', 3, ended),
        ...read(database[which]('c'), 'c', 3, ended),
      ];
      await Promise.all(all);
      // They begin among the first 13, which a busy machine's connections end in another order.
      expect(ended.lastIndexOf('b')).toBeLessThan(ended.length / 2);
      expect(ended.lastIndexOf('c')).toBeLessThan(ended.length / 2);
      expect(ended).toHaveLength(66);
    },
  );

  test('refuse only the account that has most waiting, which is told to send fewer', async () => {
    const database = await withDatabase(kind);
    const ended: string[] = [];
    const hostile = read(database.reports('hostile'), 'hostile', MAX_WAITING_READS + 50, ended);
    const others = ['b', 'c', 'd'].flatMap((name) => read(database.reports(name), name, 3, ended));
    await Promise.all([...hostile, ...others]);
    const refused = ended.filter((name) => name.includes(' '));
    expect(new Set(refused)).toEqual(new Set(['hostile rate_limited']));
    expect(refused.length).toBeGreaterThan(40);
    expect(ended.filter((name) => name.length === 1)).toHaveLength(9);
  });

  test('give their turn back whatever becomes of them', async () => {
    const database = await withDatabase(kind);
    const fail = (query: Promise<unknown>) => query.catch(() => undefined);
    const nothing = { sql: 'select nothing', parameters: [] } as unknown as CompiledQuery;
    for (let round = 0; round < 10; round += 1) await fail(database.lists('a').executeQuery(nothing));
    const ended: string[] = [];
    await Promise.all([
      ...read(database.lists('a'), 'a', 2, ended),
      ...read(database.lists('b'), 'b', 2, ended),
    ]);
    expect(ended.toSorted()).toEqual(['a', 'a', 'b', 'b']);
  });
});
