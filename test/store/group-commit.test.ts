import { describe, expect, it } from 'vitest';
import type { Database } from '../../src/store/database/database.js';
import { groupCommit } from '../../src/store/ledger/group-commit.js';
import { DATABASE_KINDS, openDuringTest, temporaryDatabaseUrl, withDatabase } from '../support/database.js';
import { entry } from './rows.js';

describe.each(DATABASE_KINDS)('group commit on %s', (kind) => {
  it('has committed what it resolves, so that another connection sees it', async () => {
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

  it('shares a transaction among concurrent works', async () => {
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

  it('isolates failures: a work that throws does not fail the others and leaves nothing behind', async () => {
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

  it('gives each work its own result, and the writes of those before it', async () => {
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

  it('bumps the revision of a scope once for all, and calls listeners before the first promise resolves', async () => {
    const database = await withDatabase();
    const heard: string[] = [];
    database.onChange('identity', () => heard.push('identity'));
    database.onChange('policy', () => heard.push('policy'));
    const write = groupCommit(database);
    const heardBefore = await Promise.all(
      ids(20).map(async () => {
        await write(async (_, scopes) => void scopes.add('identity'));
        return [...heard];
      }),
    );
    expect(heardBefore).toEqual(heardBefore.map(() => ['identity']));
  });

  it('bumps nothing when no work has committed a bump', async () => {
    const database = await withDatabase();
    let heard = 0;
    database.onChange('identity', () => heard++);
    const write = groupCommit(database);
    await Promise.all(ids(3).map(() => write(async () => {})));
    expect(heard).toBe(0);
    const outcomes = await Promise.allSettled([
      write(async (_, scopes) => {
        scopes.add('identity');
        throw new Error('broken');
      }),
      write(async () => {}),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
    expect(heard).toBe(0);
  });

  it('continues after a failure', async () => {
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
