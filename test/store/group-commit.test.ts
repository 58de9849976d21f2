import { describe, expect, it } from 'vitest';
import type { Database } from '../../src/store/database.js';
import { groupCommit } from '../../src/store/group-commit.js';
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
        return (await entriesOf(other)).includes(id);
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

async function entriesOf({ query }: Database): Promise<string[]> {
  const rows = await query.selectFrom('ledger_entry').select('id').orderBy('id').execute();
  return rows.map(({ id }) => id);
}
