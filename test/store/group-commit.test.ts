import { describe, expect, it } from 'vitest';
import type { Database } from '../../src/store/database.js';
import { groupCommit } from '../../src/store/ledger/group-commit.js';
import { DATABASE_KINDS, openDuringTest, temporaryDatabaseUrl, withDatabase } from '../support/database.js';
import { entry } from './rows.js';

describe.each(DATABASE_KINDS)('writing in groups on %s', (kind) => {
  it('keeps everything that it has resolved, where another connection sees it', async () => {
    const url = await temporaryDatabaseUrl(kind);
    const write = groupCommit(await openDuringTest(url));
    const other = await openDuringTest(url);
    const seen = await Promise.all(
      ids(600).map(async (id) => {
        await write(async (tx) => void (await tx.insertInto('ledger_entry').values(entry(id)).execute()));
        return await hasEntry(other, id);
      }),
    );
    expect(seen).toEqual(seen.map(() => true));
    expect(await entriesOf(other)).toHaveLength(600);
  });

  it('needs few transactions for what is asked for at once', async () => {
    const database = await withDatabase(kind);
    let transactions = 0;
    const counting: Database = {
      ...database,
      transact: (scopes, work) => {
        transactions++;
        return database.transact(scopes, work);
      },
    };
    const write = groupCommit(counting);
    await Promise.all(
      ids(100).map((id) =>
        write(async (tx) => void (await tx.insertInto('ledger_entry').values(entry(id)).execute())),
      ),
    );
    expect(transactions).toBe(1);
  });

  it('fails alone: a work that throws takes nobody with it and leaves nothing behind', async () => {
    const database = await withDatabase(kind);
    const write = groupCommit(database);
    const outcomes = await Promise.allSettled(
      ids(20).map((id, index) =>
        write(async (tx) => {
          await tx.insertInto('ledger_entry').values(entry(id)).execute();
          if (index === 7) throw new Error('broken');
        }),
      ),
    );
    expect(outcomes.map(({ status }) => status)).toEqual(
      ids(20).map((_, index) => (index === 7 ? 'rejected' : 'fulfilled')),
    );
    expect(await entriesOf(database)).toEqual(ids(20).filter((_, index) => index !== 7));
  });

  it('gives each its own outcome, with what those before it have written', async () => {
    const write = groupCommit(await withDatabase());
    const counts = await Promise.all(
      ids(50).map((id) =>
        write(async (tx) => {
          await tx.insertInto('ledger_entry').values(entry(id)).execute();
          return (await tx.selectFrom('ledger_entry').select('id').execute()).length;
        }),
      ),
    );
    expect(counts).toEqual(counts.map((_, index) => index + 1));
  });

  it('moves the counter of a scope once for all, and is heard before the first promise resolves', async () => {
    const database = await withDatabase();
    const heard: string[] = [];
    database.onChange('identity', () => heard.push('identity'));
    database.onChange('policy', () => heard.push('policy'));
    const write = groupCommit(database);
    const heardBefore = await Promise.all(
      ids(20).map(async () => {
        await write(async (_, applyDelta) => void applyDelta.add('identity'));
        return [...heard];
      }),
    );
    expect(heardBefore).toEqual(heardBefore.map(() => ['identity']));
  });

  it('moves nothing when no work has moved anything', async () => {
    const database = await withDatabase();
    let heard = 0;
    database.onChange('identity', () => heard++);
    const write = groupCommit(database);
    await Promise.all(ids(3).map(() => write(async () => {})));
    expect(heard).toBe(0);
    const outcomes = await Promise.allSettled([
      write(async (_, applyDelta) => {
        applyDelta.add('identity');
        throw new Error('broken');
      }),
      write(async () => {}),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
    expect(heard).toBe(0);
  });

  it('goes on after a failure', async () => {
    const database = await withDatabase(kind);
    const write = groupCommit(database);
    await expect(write(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    await write(async (tx) => void (await tx.insertInto('ledger_entry').values(entry('later')).execute()));
    expect(await entriesOf(database)).toEqual(['later']);
  });
});

function ids(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `entry-${String(index).padStart(4, '0')}`);
}

async function hasEntry({ query }: Database, id: string): Promise<boolean> {
  const row = await query.selectFrom('ledger_entry').select('id').where('id', '=', id).executeTakeFirst();
  return row !== undefined;
}

async function entriesOf({ query }: Database): Promise<string[]> {
  const rows = await query.selectFrom('ledger_entry').select('id').orderBy('id').execute();
  return rows.map(({ id }) => id);
}
